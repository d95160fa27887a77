#!/usr/bin/env python3
"""Two Qt 5 windows that set no title, so that the screen has the application's name as theirs, a frame with a name in one of them, and a hint. The second
window and the hint come when the file exists that is the second argument."""

import os
import sys

from PyQt5 import QtCore, QtWidgets


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
    hint = QtWidgets.QWidget(None, QtCore.Qt.ToolTip)
    QtWidgets.QVBoxLayout(hint).addWidget(QtWidgets.QLabel("Rain is near"))
    hint.resize(420, 160)

    def look():
        if os.path.exists(sys.argv[2]):
            timer.stop()
            hint.show()
            other.show()
    timer = QtCore.QTimer()
    timer.timeout.connect(look)
    timer.start(20)
    app.exec()


main()
