"""PyQt 5 or PyQt 6, by the name of the program: the fixtures on both are one."""

import os
import sys

VERSION = 6 if "qt6" in os.path.basename(sys.argv[0]) else 5

if VERSION == 6:
    from PyQt6 import QtCore, QtGui, QtWidgets
    QAction = QtGui.QAction
else:
    from PyQt5 import QtCore, QtGui, QtWidgets
    QAction = QtWidgets.QAction

__all__ = ["VERSION", "QAction", "QtCore", "QtGui", "QtWidgets"]
