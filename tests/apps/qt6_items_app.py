#!/usr/bin/env python3
"""The lists and tables of Qt 5 on Qt 6: the imports go by the name of the program."""

import os
import runpy

runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "qt5_items_app.py"), run_name="__main__")
