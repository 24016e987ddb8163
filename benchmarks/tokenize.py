"""Start ``tokenizer.py``, the benchmark of the tokeniser, under the name people look for.

Python puts a script's folder first on the path, where this file's name hides the standard
library's ``tokenize`` from every script beside it; whoever imports it is given that one.
"""

import importlib.util
import runpy
import sys
import sysconfig

if __name__ == "__main__":
    folder = sys.path.pop(0)
    runpy.run_path(f"{folder}/tokenizer.py", run_name="__main__")
else:
    path = f"{sysconfig.get_path('stdlib')}/tokenize.py"
    if spec := importlib.util.spec_from_file_location("tokenize", path):
        sys.modules["tokenize"] = importlib.util.module_from_spec(spec)
        if spec.loader:
            spec.loader.exec_module(sys.modules["tokenize"])
