#!/usr/bin/env python3
"""Two Qt 5 windows that set no title, so that the screen has the application's name as theirs, and a frame with a name in one of them."""

import sys

from PyQt5 import QtWidgets


def main():
    app = QtWidgets.QApplication(sys.argv[:1])
    app.setApplicationDisplayName(sys.argv[1])
    window = QtWidgets.QMainWindow()
    frame = QtWidgets.QFrame()
    frame.setAccessibleName("Reading")
    frame.setFrameShape(QtWidgets.QFrame.StyledPanel)
    QtWidgets.QVBoxLayout(frame).addWidget(QtWidgets.QLabel("21 degrees"))
    window.setCentralWidget(frame)
    window.resize(420, 160)
    window.show()

    other = QtWidgets.QWidget()
    QtWidgets.QVBoxLayout(other).addWidget(QtWidgets.QPushButton("Refresh"))
    other.resize(300, 90)
    other.show()
    app.exec()


main()
