#!/usr/bin/env python3
"""A Qt 5 window with planted accessibility defects, or with `clean` as the second argument the same window without them."""

import sys

from PyQt5 import QtCore, QtGui, QtWidgets


def main():
    title, clean = sys.argv[1], sys.argv[2:] == ["clean"]
    app = QtWidgets.QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    window = QtWidgets.QWidget()
    window.setWindowTitle(title)
    window.setStyleSheet("QWidget { background: #ffffff; color: #000000; }")
    window.resize(480, 460)
    column = QtWidgets.QVBoxLayout(window)
    column.setSpacing(16)

    form = QtWidgets.QGridLayout()
    for row, (text, linked) in enumerate((("Street", True), ("City", clean))):
        label, field = QtWidgets.QLabel(text), QtWidgets.QLineEdit("value")
        if linked:
            label.setBuddy(field)
        form.addWidget(label, row, 0)
        form.addWidget(field, row, 1)
    column.addLayout(form)

    icon = QtWidgets.QToolButton()
    icon.setIcon(app.style().standardIcon(QtWidgets.QStyle.SP_DialogSaveButton))
    icon.setFixedSize(32, 32)
    icon.setFocusPolicy(QtCore.Qt.TabFocus)
    if clean:
        icon.setAccessibleName("Save")
    column.addWidget(icon)

    remark = QtWidgets.QLabel("Quiet remark about the order")
    remark.setStyleSheet("color: #555555;" if clean else "color: #bbbbbb;")
    column.addWidget(remark)

    mouse = QtWidgets.QPushButton("Only by mouse")
    mouse.setFocusPolicy(QtCore.Qt.StrongFocus if clean else QtCore.Qt.NoFocus)
    column.addWidget(mouse)

    tiny = QtWidgets.QHBoxLayout()
    tiny.setSpacing(30 if clean else 1)
    for name in ("One", "Two", "Three"):
        button = QtWidgets.QPushButton("·")
        button.setAccessibleName(name)
        button.setFixedSize(*((40, 30) if clean else (16, 16)))
        tiny.addWidget(button)
    tiny.addStretch()
    column.addLayout(tiny)

    browse = QtWidgets.QHBoxLayout()
    for text in ("Browse for the picture", "Browse for the sound") if clean else ("Browse", "Browse"):
        browse.addWidget(QtWidgets.QPushButton(text))
    column.addLayout(browse)

    file = QtWidgets.QPushButton("Open")
    file.setAccessibleName("Open" if clean else "icon_open.png")
    column.addWidget(file)

    off = QtWidgets.QPushButton("Switched off")
    off.setEnabled(False)
    column.addWidget(off)
    column.addStretch()
    font = QtGui.QFont(app.font())
    font.setPixelSize(14)
    app.setFont(font)
    window.show()
    app.exec_()


main()
