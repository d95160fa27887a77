#!/usr/bin/env python3
"""The fixture application on Qt 5, and on Qt 6 where it is started as `qt6_app.py`."""

import sys

import common
from qt import VERSION, QAction, QtCore, QtGui, QtWidgets

NO_MODIFIER_KEYS = {QtCore.Qt.Key.Key_Control, QtCore.Qt.Key.Key_Shift, QtCore.Qt.Key.Key_Alt, QtCore.Qt.Key.Key_Meta}


def named(widget, name):
    """Gives a widget its accessible name."""
    widget.setAccessibleName(name)
    return widget


class MultiButton(QtWidgets.QPushButton):
    """Distinguishes double clicks and context menus from clicks."""

    def __init__(self, record):
        super().__init__("Multi")
        self.record = record
        self.since_double = QtCore.QElapsedTimer()
        self.setMouseTracking(True)

    def mouseMoveEvent(self, event):
        self.record.add("hovered")
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event):
        # Qt knows no triple click: its text fields, too, look at the time since the double one.
        is_left = event.button() == QtCore.Qt.MouseButton.LeftButton
        if is_left and self.since_double.isValid() and not self.since_double.hasExpired(QtWidgets.QApplication.doubleClickInterval()):
            self.record.add("triple")
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event):
        self.record.add("double")
        # It counts as a press, too.
        super().mouseDoubleClickEvent(event)
        self.since_double.start()

    def contextMenuEvent(self, event):
        self.record.add("context")
        menu = QtWidgets.QMenu(self)
        menu.addAction("Context entry").triggered.connect(lambda: self.record.add("chosen"))
        menu.popup(event.globalPos())


class DragSource(QtWidgets.QLabel):
    """Starts a drag on a press that moves."""

    def mouseMoveEvent(self, _event):
        drag = QtGui.QDrag(self)
        data = QtCore.QMimeData()
        data.setText("dragged")
        drag.setMimeData(data)
        drag.exec(QtCore.Qt.DropAction.CopyAction)


class DropTarget(QtWidgets.QLabel):
    """Counts what is dropped on it."""

    def __init__(self, record, text="Drop target", key="dropped"):
        super().__init__(text)
        self.record, self.key = record, key
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event):
        event.acceptProposedAction()
        self.record.set("dragged_over", True)

    def dropEvent(self, event):
        event.acceptProposedAction()
        self.record.add(self.key)


class App(QtWidgets.QMainWindow):
    """The window, its record and what the commands do to it."""

    posted = QtCore.pyqtSignal(object)

    def __init__(self, title):
        super().__init__()
        self.record = common.Record()
        self.about = None
        self.setWindowTitle(title)
        self.resize(900, 620)
        about = QAction("About", self)
        about.triggered.connect(lambda: self.do_dialog(True))
        self.menuBar().addMenu("File").addAction(about)
        columns = QtWidgets.QHBoxLayout()
        for column in (self.first_column(), self.second_column(), self.third_column()):
            columns.addLayout(column)
        status = QtWidgets.QLabel(self.record.summary())
        self.record.on_change = lambda: status.setText(self.record.summary())
        rows = QtWidgets.QVBoxLayout()
        rows.addLayout(columns)
        rows.addWidget(status)
        centre = QtWidgets.QWidget()
        centre.setLayout(rows)
        self.setCentralWidget(centre)
        QtWidgets.QApplication.instance().installEventFilter(self)
        self.posted.connect(lambda run: run())
        common.Commands(self, self.record, self.posted.emit)

    def first_column(self):
        box = QtWidgets.QVBoxLayout()
        record = self.record
        count = self.count = QtWidgets.QPushButton(common.label("Count"))
        count.clicked.connect(lambda: record.add("count"))
        self.name = named(QtWidgets.QLineEdit(), common.label("Name"))
        self.name.textChanged.connect(lambda text: record.set("name", text))
        self.secret = named(QtWidgets.QLineEdit(echoMode=QtWidgets.QLineEdit.EchoMode.Password), "Secret")
        self.secret.textChanged.connect(lambda text: record.set("secret", text))
        self.notes = named(QtWidgets.QPlainTextEdit(), "Notes")
        self.notes.textChanged.connect(lambda: record.set("notes", self.notes.toPlainText()))
        self.agree = QtWidgets.QCheckBox("Agree")
        self.agree.toggled.connect(lambda on: record.set("agree", on))
        self.bold = QtWidgets.QPushButton("Bold", checkable=True)
        self.bold.toggled.connect(lambda on: record.set("bold", on))
        for widget in (count, MultiButton(record), self.name, self.secret, self.notes, self.agree, self.bold):
            box.addWidget(widget)
        self.radios = []
        for colour in common.COLOURS:
            radio = QtWidgets.QRadioButton(colour)
            self.radios.append(radio)
            box.addWidget(radio)
        self.radios[0].setChecked(True)
        for radio in self.radios:
            radio.toggled.connect(lambda on, c=radio.text(): on and record.set("colour", c))
        return box

    def second_column(self):
        box = QtWidgets.QVBoxLayout()
        record = self.record
        self.size_box = named(QtWidgets.QComboBox(), "Size")
        self.size_box.addItems(common.SIZES)
        self.size_box.currentTextChanged.connect(lambda text: record.set("size", text))
        self.volume = named(QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal, maximum=100, value=20), "Volume")
        self.volume.valueChanged.connect(lambda value: record.set("volume", value))
        self.amount = named(QtWidgets.QSpinBox(maximum=100, value=5), "Amount")
        self.amount.valueChanged.connect(lambda value: record.set("amount", value))
        self.items = named(QtWidgets.QListWidget(), "Items")
        self.items.setVerticalScrollMode(QtWidgets.QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.items.setMaximumHeight(180)
        self.items.addItems([f"Item {number}" for number in range(1, common.ROWS + 1)])
        self.items.itemSelectionChanged.connect(self.on_row)
        self.items.verticalScrollBar().valueChanged.connect(lambda value: record.set("scroll", value))
        for widget in (self.size_box, self.volume, self.amount, self.items,
                       DragSource("Drag source"), DropTarget(record)):
            box.addWidget(widget)
        return box

    def third_column(self):
        box = QtWidgets.QVBoxLayout()
        self.tabs = QtWidgets.QTabWidget()
        for tab in common.TABS:
            self.tabs.addTab(QtWidgets.QLabel(f"{tab} page"), tab)
        self.tabs.currentChanged.connect(lambda index: self.record.set("tab", common.TABS[index]))
        area = named(QtWidgets.QWidget(), "Area")
        self.area = QtWidgets.QVBoxLayout(area)
        scrolled = QtWidgets.QScrollArea(widgetResizable=True)
        scrolled.setWidget(area)
        box.addWidget(self.tabs)
        box.addWidget(scrolled)
        return box

    def eventFilter(self, receiver, event):
        # A key press passes the window's own handle first; widgets see it a second time.
        if event.type() == QtCore.QEvent.Type.KeyPress and isinstance(receiver, QtGui.QWindow):
            held = event.modifiers()
            if event.key() not in NO_MODIFIER_KEYS:
                self.record.set("chord", common.chord(
                    QtGui.QKeySequence(event.key()).toString() or "unknown",
                    bool(held & QtCore.Qt.KeyboardModifier.ControlModifier), bool(held & QtCore.Qt.KeyboardModifier.ShiftModifier),
                    bool(held & QtCore.Qt.KeyboardModifier.AltModifier), bool(held & QtCore.Qt.KeyboardModifier.MetaModifier)))
        return False

    def on_row(self):
        picked = self.items.selectedItems()
        self.record.set("selected", picked[0].text() if picked else None)

    # What another party may do, see common.RandomActions.

    def made_button(self, index):
        count = self.area.count()
        return self.area.itemAt(index % count).widget() if count else None

    def do_tooltip(self, text):
        self.findChild(MultiButton).setToolTip(text)

    def do_add_button(self, name):
        self.area.addWidget(QtWidgets.QPushButton(name))

    def do_remove_button(self, index):
        if button := self.made_button(index):
            self.area.removeWidget(button)
            button.deleteLater()

    def do_rename_button(self, index, name):
        if button := self.made_button(index):
            button.setText(name)

    def do_move_button(self, index, to):
        if button := self.made_button(index):
            self.area.removeWidget(button)
            self.area.insertWidget(to % (self.area.count() + 1), button)

    def do_show_button(self, index, on):
        if button := self.made_button(index):
            button.setVisible(on)

    def do_enable_button(self, index, on):
        if button := self.made_button(index):
            button.setEnabled(on)

    def do_other_window(self, title):
        """Opens another window, on which "Drag source" can be dropped."""
        self.other = DropTarget(self.record, "Other target", "dropped_there")
        self.other.setWindowTitle(title)
        self.other.resize(320, 110)
        self.other.show()

    def do_add_row(self, name):
        self.items.addItem(name)

    def do_remove_row(self, index):
        if self.items.count():
            self.items.takeItem(index % self.items.count())

    def do_select_row(self, index):
        if self.items.count():
            self.items.setCurrentRow(index % self.items.count())

    def do_tell_place(self, name):
        """Where the button "Count" is: x, y, width, height in physical pixels of the window."""
        widget = {"Count": self.count}[name]
        corner, scale = widget.mapTo(self, QtCore.QPoint(0, 0)), self.devicePixelRatioF()
        place = (corner.x(), corner.y(), widget.width(), widget.height())
        self.record.set("place", [round(scale * n) for n in place])

    def do_scroll_to_top(self):
        self.items.verticalScrollBar().setValue(0)

    def do_set_name(self, text):
        self.name.setText(text)

    def do_hide_name(self, on):
        mode = QtWidgets.QLineEdit.EchoMode
        self.name.setEchoMode(mode.Password if on else mode.Normal)

    def do_set_notes(self, text):
        self.notes.setPlainText(text)

    def do_agree(self, on):
        self.agree.setChecked(on)

    def do_bold(self, on):
        self.bold.setChecked(on)

    def do_colour(self, index):
        self.radios[index].setChecked(True)

    def do_size(self, index):
        self.size_box.setCurrentIndex(index)

    def do_volume(self, value):
        self.volume.setValue(value)

    def do_amount(self, value):
        self.amount.setValue(value)

    def do_tab(self, index):
        self.tabs.setCurrentIndex(index)

    def do_dialog(self, on):
        if on and not self.about:
            self.about = QtWidgets.QDialog(self, windowTitle="About Fixture")
            layout = QtWidgets.QVBoxLayout(self.about)
            close = QtWidgets.QPushButton("Close About")
            close.clicked.connect(lambda: self.do_dialog(False))
            layout.addWidget(QtWidgets.QLabel("A dialog"))
            layout.addWidget(close)
            self.about.finished.connect(lambda _: self.do_dialog(False))
            self.about.show()
        elif not on and self.about:
            dialog, self.about = self.about, None
            dialog.close()
            dialog.deleteLater()
        self.record.set("dialog", on)


if __name__ == "__main__":
    application = QtWidgets.QApplication(sys.argv[:1])
    application.setApplicationName(f"fixture-qt{VERSION}")
    window = App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    window.show()
    sys.exit(application.exec())
