#!/usr/bin/env python3
"""Lists, tables and a combo box of Qt 5, or of Qt 6 where it is started as `qt6_items_app.py`.

For each of "List", "Table" and "Icons" it records which item was clicked, is the current one and is selected. The options of the combo box open
below the lower edge of the window.
"""

import sys

import common
from qt import QtWidgets

ROWS = 60
OPTIONS = ["North", "East", "South", "West", "Zenith", "Nadir", *(f"Direction {number}" for number in range(7, 31))]


def listing(items):
    """A list with these items."""
    view = QtWidgets.QListWidget()
    view.addItems(items)
    return view


def table():
    """A table with four cells."""
    view = QtWidgets.QTableWidget(2, 2)
    for row in range(2):
        for column in range(2):
            view.setItem(row, column, QtWidgets.QTableWidgetItem(f"Cell {row}{column}"))
    return view


def main():
    application = QtWidgets.QApplication(sys.argv)
    record = common.Record()
    window = QtWidgets.QWidget()
    window.setWindowTitle(sys.argv[1])
    column = QtWidgets.QVBoxLayout(window)
    icons = listing(["Apple", "Pear"])
    icons.setViewMode(QtWidgets.QListView.ViewMode.IconMode)
    views = {"Table": table(), "Icons": icons, "List": listing([f"Item {number}" for number in range(1, ROWS + 1)])}
    for name, view in views.items():
        view.setAccessibleName(name)
        view.itemClicked.connect(lambda item, name=name: record.set(f"{name} clicked", item.text()))
        view.currentItemChanged.connect(
            lambda item, _before, name=name: record.set(f"{name} current", item and item.text()))
        view.itemSelectionChanged.connect(
            lambda name=name, view=view: record.set(f"{name} selected", [item.text() for item in view.selectedItems()]))
        column.addWidget(view)
    # Items that are scrolled out of view would be here.
    column.addSpacing(120)
    direction = QtWidgets.QComboBox()
    direction.setMaxVisibleItems(8)
    direction.setStyleSheet("combobox-popup: 0")
    direction.addItems(OPTIONS)
    direction.currentTextChanged.connect(lambda text: record.set("direction", text))
    column.addWidget(direction)
    window.resize(420, 600)
    window.show()
    sys.exit(application.exec())


if __name__ == "__main__":
    main()
