#!/usr/bin/env python3
"""A tree of Qt 5, or of Qt 6 where it is started as `qt6_tree_app.py`, changed by commands. It records which rows are selected."""

import sys

import common
from qt import QtCore, QtWidgets


class Rooms(QtCore.QObject):
    """The tree, its record and what the commands do to it."""

    posted = QtCore.pyqtSignal(object)

    def __init__(self, title):
        super().__init__()
        self.record = common.Record()
        self.tree = QtWidgets.QTreeWidget()
        self.tree.setWindowTitle(title)
        self.tree.setHeaderLabels(["Name", "Kind"])
        for name in ("Attic", "Basement", "Cellar"):
            room = QtWidgets.QTreeWidgetItem([name, "room"])
            self.tree.addTopLevelItem(room)
            for number in range(2):
                room.addChild(QtWidgets.QTreeWidgetItem([f"{name} box {number}", "box"]))
        self.tree.itemSelectionChanged.connect(self._note_selection)
        self.posted.connect(lambda work: work())
        common.Commands(self, self.record, self.posted.emit)
        self.tree.resize(420, 320)
        self.tree.show()

    def _note_selection(self):
        self.record.set("selected", [item.text(0) for item in self.tree.selectedItems()])

    def do_insert(self, at, name):
        self.tree.insertTopLevelItem(at, QtWidgets.QTreeWidgetItem([name, "room"]))

    def do_remove(self, at):
        self.tree.takeTopLevelItem(at)

    def do_sort(self):
        self.tree.sortItems(0, QtCore.Qt.SortOrder.DescendingOrder)

    def do_rename(self, at, name):
        self.tree.topLevelItem(at).setText(0, name)

    def do_expand(self, at):
        self.tree.topLevelItem(at).setExpanded(True)


def main():
    application = QtWidgets.QApplication(sys.argv)
    rooms = Rooms(sys.argv[1])  # noqa: F841 - it lives as long as the application
    sys.exit(application.exec())


if __name__ == "__main__":
    main()
