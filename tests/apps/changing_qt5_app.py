#!/usr/bin/env python3
"""A window of Qt that changes its widgets one by one, on the command `change`. Qt announces little of it."""

import sys

import common
from qt import QtCore, QtWidgets

STYLE = QtWidgets.QStyle.StandardPixmap


class App(QtWidgets.QMainWindow):
    """The window, its record and the changes."""

    posted = QtCore.pyqtSignal(object)

    def __init__(self, title):
        super().__init__()
        self.record = common.Record()
        self.setWindowTitle(title)
        self.resize(700, 1000)
        middle = QtWidgets.QWidget()
        self.setCentralWidget(middle)
        self.column = QtWidgets.QVBoxLayout(middle)
        self.add_controls()
        self.add_containers()
        self.add_lists()
        self.show()
        self.changes = self.control_changes() + self.container_changes() + self.list_changes()
        self.record.set("changes", len(self.changes))
        self.posted.connect(lambda function: function())
        common.Commands(self, self.record, self.posted.emit)

    def add(self, widget):
        self.column.addWidget(widget)
        return widget

    def add_controls(self):
        self.button = self.add(QtWidgets.QPushButton("Plain"))
        self.play = self.add(QtWidgets.QToolButton())
        self.play.setIcon(self.style().standardIcon(STYLE.SP_MediaPlay))
        self.play.setToolTip("Play")
        self.picture = self.add(QtWidgets.QLabel())
        self.picture.setPixmap(self.style().standardPixmap(STYLE.SP_MediaPlay))
        self.picture.setToolTip("Picture")
        self.label = self.add(QtWidgets.QLabel("Words"))
        self.entry = self.add(QtWidgets.QLineEdit("typed"))
        self.check = self.add(QtWidgets.QCheckBox("Check"))
        self.progress = self.add(QtWidgets.QProgressBar())
        self.slider = self.add(QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal))
        self.spin = self.add(QtWidgets.QSpinBox())
        self.combo = self.add(QtWidgets.QComboBox())
        self.combo.addItems(["one", "two", "three"])
        self.text = self.add(QtWidgets.QTextEdit("written"))

    def add_containers(self):
        self.group = self.add(QtWidgets.QGroupBox("Group"))
        self.row = QtWidgets.QHBoxLayout(self.group)
        self.places = [QtWidgets.QPushButton(f"Place {number}") for number in range(3)]
        for place in self.places:
            self.row.addWidget(place)
        self.tabs = self.add(QtWidgets.QTabWidget())
        for number in range(3):
            self.tabs.addTab(QtWidgets.QLabel(f"Sheet {number}"), f"Tab {number}")
        self.dock = QtWidgets.QDockWidget("Dock", self)
        self.dock.setWidget(QtWidgets.QLabel("Docked"))
        self.addDockWidget(QtCore.Qt.DockWidgetArea.LeftDockWidgetArea, self.dock)
        self.action = self.addToolBar("Tools").addAction("Tool")
        self.menu = self.menuBar().addMenu("Menu")

    def add_lists(self):
        self.list = self.add(QtWidgets.QListWidget())
        self.list.addItems([f"Line {number}" for number in range(3)])
        self.tree = self.add(QtWidgets.QTreeWidget())
        self.tree.setHeaderLabels(["Name", "Size"])
        self.branch = QtWidgets.QTreeWidgetItem(self.tree, ["Branch", "2"])
        self.leaf = QtWidgets.QTreeWidgetItem(self.branch, ["Leaf", "1"])

    def control_changes(self):
        hidden = QtWidgets.QLineEdit.EchoMode.Password
        return [
            lambda: self.play.setToolTip("Pause"),
            lambda: self.picture.setToolTip("Other picture"),
            lambda: self.button.setAccessibleName("Named"),
            lambda: self.button.setCheckable(True),
            lambda: self.button.setChecked(True),
            lambda: self.button.setCheckable(False),
            lambda: self.label.setText("<b>Bold words</b>"),
            lambda: self.label.setBuddy(self.entry),
            lambda: self.entry.setText("typed anew"),
            lambda: self.entry.setReadOnly(True),
            lambda: self.entry.setEchoMode(hidden),
            lambda: self.check.setCheckState(QtCore.Qt.CheckState.PartiallyChecked),
            lambda: self.progress.setRange(0, 50),
            lambda: self.progress.setValue(20),
            lambda: self.slider.setRange(40, 60),
            lambda: self.spin.setSuffix(" px"),
            lambda: self.combo.setItemText(0, "ONE"),
            lambda: self.combo.setEditable(True),
            lambda: self.combo.setEditText("edited"),
            lambda: self.text.setHtml("<h1>Heading</h1>"),
            lambda: self.text.setReadOnly(True),
        ]

    def container_changes(self):
        return [
            lambda: self.group.setTitle("Other group"),
            lambda: self.group.setCheckable(True),
            lambda: self.group.setChecked(False),
            self.put_last,
            self.places[1].hide,
            self.places[1].show,
            self.places[2].deleteLater,
            lambda: self.tabs.setCurrentIndex(1),
            lambda: self.tabs.setTabText(0, "Tab zero"),
            lambda: self.tabs.removeTab(1),
            lambda: self.dock.setWindowTitle("Other dock"),
            lambda: self.dock.setFloating(True),
            lambda: self.dock.setFloating(False),
            lambda: self.action.setText("Other tool"),
            lambda: self.action.setCheckable(True),
            lambda: self.menu.setTitle("Other menu"),
            lambda: self.statusBar().showMessage("Message"),
        ]

    def list_changes(self):
        return [
            lambda: self.list.item(0).setText("Other line"),
            lambda: self.list.takeItem(1),
            lambda: self.list.setCurrentRow(1),
            lambda: self.list.item(0).setCheckState(QtCore.Qt.CheckState.Checked),
            self.tree.expandAll,
            lambda: self.leaf.setText(0, "Other leaf"),
            lambda: self.tree.setHeaderLabels(["Title", "Weight"]),
            lambda: self.tree.setColumnHidden(1, True),
            lambda: self.branch.removeChild(self.leaf),
            lambda: self.centralWidget().setEnabled(False),
        ]

    def put_last(self):
        """Puts the first of the places behind the others."""
        self.row.removeWidget(self.places[0])
        self.row.addWidget(self.places[0])

    def do_change(self, number):
        self.changes[number]()

    def do_put_last(self):
        self.put_last()

    def do_make_checkable(self):
        self.button.setCheckable(True)

    def do_show_icon_only(self):
        """Leaves the button without a text: it is called by its tooltip now."""
        self.button.setText("")
        self.button.setIcon(self.style().standardIcon(STYLE.SP_MediaPlay))
        self.button.setToolTip("Begin")

    def do_float(self):
        self.dock.setFloating(True)


app = QtWidgets.QApplication(sys.argv[:1])
window = App(sys.argv[1])
app.exec()
