#!/usr/bin/python3
"""A Qt 6 window with a red button, which is drawn at the scale of the monitor that it is on.

Keeps a JSON object in the file that is named first: {"scale": 1.5, "count": 2}.
"""

import json
import os
import sys

from PyQt6 import QtCore, QtWidgets


class Window(QtWidgets.QWidget):
    """The window."""

    def __init__(self, log):
        super().__init__()
        self.log, self.count = log, 0
        self.setWindowTitle("Scaled")
        button = QtWidgets.QPushButton("Count", self)
        button.setGeometry(40, 30, 120, 50)
        button.setStyleSheet("background: #ff0000; border: none; color: white")
        button.clicked.connect(self.clicked)
        self.resize(400, 240)
        # Qt announces another monitor by events that differ from version to version.
        self.timer = QtCore.QTimer(self, interval=50)
        self.timer.timeout.connect(self.tell)
        self.timer.start()

    def clicked(self):
        self.count += 1
        self.tell()

    def tell(self):
        with open(f"{self.log}.new", "w", encoding="utf-8") as file:
            json.dump({"scale": self.devicePixelRatio(), "count": self.count}, file)
        os.rename(f"{self.log}.new", self.log)


if __name__ == "__main__":
    application = QtWidgets.QApplication(sys.argv[:1])
    window = Window(sys.argv[1])
    window.show()
    sys.exit(application.exec())
