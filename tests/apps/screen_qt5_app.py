#!/usr/bin/env python3
"""What Qt 5 shows in another way than it reports: tabs, a list of 200,000 rows, a toolbar, a form with the focus in it."""

import sys

from PyQt5 import QtCore, QtWidgets

import common

ROWS = 200_000


class App(QtWidgets.QMainWindow):
    """The window and its record."""

    def __init__(self, title):
        super().__init__()
        self.record = common.Record()
        self.setWindowTitle(title)
        self.resize(700, 600)
        bar = self.addToolBar("Tools")
        second, first = bar.addAction("Second"), None
        first = QtWidgets.QAction("First", self)
        bar.insertAction(second, first)
        self.tabs = QtWidgets.QTabWidget()
        for name in ("General", "Advanced"):
            page = QtWidgets.QWidget()
            form = QtWidgets.QFormLayout(page)
            form.addRow(f"{name} name", QtWidgets.QLineEdit())
            form.addRow(QtWidgets.QPushButton(f"{name} button"))
            self.tabs.addTab(page, name)
        self.tabs.currentChanged.connect(lambda index: self.record.set("tab", self.tabs.tabText(index)))
        self.list = QtWidgets.QListWidget()
        self.list.setAccessibleName("Endless")
        self.list.addItems([f"Row {number}" for number in range(ROWS)])
        self.list.setUniformItemSizes(True)
        inside = QtWidgets.QWidget()
        layout = QtWidgets.QVBoxLayout(inside)
        layout.addLayout(self.corners())
        layout.addWidget(self.tabs)
        layout.addWidget(self.list)
        self.setCentralWidget(inside)
        self.fifo = common.Commands(self, self.record, self.post)
        self.posted.connect(lambda work: work())

    @staticmethod
    def corners():
        """A grid that is filled from its end."""
        grid = QtWidgets.QGridLayout()
        for row, vertical in ((1, "Lower"), (0, "Upper")):
            for column, side in ((1, "right"), (0, "left")):
                grid.addWidget(QtWidgets.QPushButton(f"{vertical} {side}"), row, column)
        return grid

    posted = QtCore.pyqtSignal(object)

    def post(self, work):
        self.posted.emit(work)

    def do_scroll_to(self, row):
        self.list.scrollToItem(self.list.item(row), QtWidgets.QAbstractItemView.PositionAtTop)

    def do_focus(self, page):
        self.tabs.setCurrentIndex(page)
        self.tabs.widget(page).findChild(QtWidgets.QLineEdit).setFocus()


if __name__ == "__main__":
    application = QtWidgets.QApplication(sys.argv[:1])
    app = App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    app.show()
    sys.exit(application.exec_())
