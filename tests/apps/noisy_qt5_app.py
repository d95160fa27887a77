#!/usr/bin/env python3
"""Things that work, things that do nothing, and things that change by themselves, on Qt 5."""

import sys

from PyQt5 import QtCore, QtWidgets

import common

# After what time a slow effect shows, in milliseconds, and how often the noise changes.
SLOW = 1000
BEAT = 100


class App(QtCore.QObject):
    """The window, its record and its noise."""

    posted = QtCore.pyqtSignal(object)

    def __init__(self, title):
        super().__init__()
        self.record = common.Record()
        for key in ("digits", "marked", "level", "later", "nothing", "tocks"):
            self.record.set(key, 0)
        self.record.set("removed", False)
        self.beats = 0
        self.every = self.tocked = None
        window = self.window = QtWidgets.QMainWindow()
        window.setWindowTitle(title)
        window.resize(500, 600)
        menu = window.menuBar().addMenu("File")
        menu.addAction("Tally").triggered.connect(self.do_count)
        menu.addAction("Idle")
        self.box = QtWidgets.QVBoxLayout()
        self.display, self.shown = QtWidgets.QLabel("0 digits"), QtWidgets.QLabel("0 counted")
        digit, count, nothing = (QtWidgets.QPushButton(name) for name in ("Digit", "Count", "Nothing"))
        digit.clicked.connect(self.on_digit)
        count.clicked.connect(self.do_count)
        nothing.clicked.connect(self.on_nothing)
        later, self.after = QtWidgets.QPushButton("Later"), QtWidgets.QLabel("0 afterwards")
        later.clicked.connect(lambda: QtCore.QTimer.singleShot(SLOW, self.on_later))
        remove, self.removable = QtWidgets.QPushButton("Remove"), QtWidgets.QLabel("Removable")
        remove.clicked.connect(self.on_remove)
        mark = QtWidgets.QCheckBox("Mark")
        mark.toggled.connect(lambda on: self.record.set("marked", int(on)))
        level = QtWidgets.QSlider(QtCore.Qt.Horizontal)
        level.setAccessibleName("Level")
        level.valueChanged.connect(lambda value: self.record.set("level", value))
        rows = QtWidgets.QListWidget()
        rows.setAccessibleName("Rows")
        rows.addItems([f"Row {number}" for number in range(1, 5)])
        rows.itemSelectionChanged.connect(lambda: self.record.set("selected", rows.selectedItems()[0].text()))
        for widget in (digit, self.display, count, self.shown, nothing, later, self.after, remove, self.removable, mark, level, rows):
            self.box.addWidget(widget)
        middle = QtWidgets.QWidget()
        middle.setLayout(self.box)
        window.setCentralWidget(middle)
        window.show()
        self.posted.connect(lambda run: run())
        common.Commands(self, self.record, self.posted.emit)

    def on_digit(self):
        self.record.add("digits")
        self.display.setText(f"{self.record.state['digits']} digits")

    def on_nothing(self):
        """Shows nothing; beside the clock, the record has when that was."""
        if self.every:
            self.record.set("clicked_at", {"tock": self.record.state["tocks"], "since": common.milliseconds() - self.tocked})
            self.record.add("nothing")

    def on_later(self):
        self.record.add("later")
        self.after.setText(f"{self.record.state['later']} afterwards")

    def on_remove(self):
        if self.removable:
            self.removable.setParent(None)
            self.removable = None
            self.record.set("removed", True)

    def do_count(self):
        self.record.add("count")
        self.shown.setText(f"{self.record.state['count']} counted")

    def do_noise(self):
        """From now on: a text, a progress and a list that change by themselves."""
        self.ticker, self.progress, self.news = (
            QtWidgets.QLabel("beat 0"), QtWidgets.QProgressBar(), QtWidgets.QListWidget())
        for widget in (self.ticker, self.progress, self.news):
            self.box.addWidget(widget)
        self.timer = QtCore.QTimer(self, interval=BEAT)
        self.timer.timeout.connect(self.beat)
        self.timer.start()

    def do_tick(self, every):
        """From now on: a text that changes by itself every so many milliseconds."""
        self.every, self.tocked, self.clock = every, common.milliseconds(), QtWidgets.QLabel("tock 0")
        self.box.addWidget(self.clock)
        self.ticks = QtCore.QTimer(self, interval=every)
        self.ticks.timeout.connect(self.tock)
        self.ticks.start()

    def tock(self):
        self.tocked = common.milliseconds()
        self.record.add("tocks")
        self.clock.setText(f"tock {self.record.state['tocks']}")

    def beat(self):
        self.beats += 1
        self.ticker.setText(f"beat {self.beats}")
        self.progress.setValue(self.beats % 100)
        self.news.clear()
        self.news.addItems([f"News {number}" for number in range(3)])


if __name__ == "__main__":
    application = QtWidgets.QApplication(sys.argv)
    application.setApplicationName("noisy-qt5")
    app = App(sys.argv[1] if len(sys.argv) > 1 else common.TITLE)
    sys.exit(application.exec_())
