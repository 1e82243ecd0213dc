# The two commands of the README, and those for daily work. Everything is installed into .venv.
VENV := .venv
PY := $(VENV)/bin/python
# Neighbours stay together, since they share servers; the first to finish takes over from the other.
# One process more than processors: tests of real servers mostly wait.
PYTEST := $(PY) -m pytest -n $(shell expr $$(nproc) + 1) --dist worksteal
# Some containers forbid compiled files; each command that a test starts would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
SOURCES := $(shell find cpp -name '*.cpp' -o -name '*.h') CMakeLists.txt pyproject.toml constraints.txt

.PHONY: demo test check lint bench docs sanitize fuzz cpptest cpptest-arm wheel notebooks format build clean

# Needs less than the tests do, and so is there sooner on a fresh machine.
demo: $(if $(wildcard $(VENV)/.installed),$(VENV)/.installed,$(VENV)/.demo)
	$(VENV)/bin/schedlab demo
	$(VENV)/bin/schedlab demo history

# Every test, the long ones too.
test: $(VENV)/.installed
	$(PYTEST)

# For daily use: also the fast tests.
check: lint
	$(PYTEST) -m "not slow"

# Style, types and layers.
lint: $(VENV)/.installed
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-logo

bench: $(VENV)/.bench
	$(PY) -m benchmarks.run

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --quiet --strict

# The tests of the core in C++, without Python, with assertions and sanitizers.
cpptest: $(VENV)/.tools
	$(VENV)/bin/cmake -S . -B build/cpptest -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(VENV)/bin/ninja \
	  -DSCHEDLAB_PYTHON=OFF -DSCHEDLAB_TESTS=ON -DSCHEDLAB_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug
	$(VENV)/bin/cmake --build build/cpptest
	$(VENV)/bin/ctest --test-dir build/cpptest --output-on-failure

# The same on ARM: built by Debian's g++-aarch64-linux-gnu, run by qemu-user-static.
cpptest-arm: $(VENV)/.tools
	$(VENV)/bin/cmake -S . -B build/cpptest-arm -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(VENV)/bin/ninja \
	  -DSCHEDLAB_PYTHON=OFF -DSCHEDLAB_TESTS=ON -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
	  -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
	  "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-aarch64-static;-L;/usr/aarch64-linux-gnu"
	$(VENV)/bin/cmake --build build/cpptest-arm
	$(VENV)/bin/ctest --test-dir build/cpptest-arm --output-on-failure

# The tests in C++, and those of simulator, co-allocation and Slurm's twin, on a core with assertions, AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: build/.sanitized
	$(VENV)/bin/ctest --test-dir build/Sanitize --output-on-failure
	SCHEDLAB_SITE=$(CURDIR)/build/sanitized SCHEDLAB_EXAMPLES=25 ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libubsan.so)" \
	  $(PYTEST) tests/sim tests/policies tests/coalloc/test_dpop.py tests/coalloc/test_wd.py \
	  tests/coalloc/test_split.py tests/coalloc/test_minibucket.py tests/slurm/test_native_twin.py

# The package with that core.
build/.sanitized: $(VENV)/.installed $(shell find src -name '*.py')
	$(PY) -m pip install --quiet --no-build-isolation --no-deps --upgrade --target build/sanitized \
	  -Cbuild-dir=build/Sanitize -Ccmake.build-type=Debug -Ccmake.define.SCHEDLAB_SANITIZE=ON \
	  -Ccmake.define.SCHEDLAB_TESTS=ON .
	touch $@

# The comparisons of the core with the plain reference, on other draws than the tests make, and more of them.
fuzz: $(VENV)/.installed
	SCHEDLAB_FUZZ=1 SCHEDLAB_EXAMPLES=2000 $(PYTEST) tests/sim tests/audit tests/slurm/test_native_twin.py

# The wheel, built from the source distribution, in an environment of its own: a first run with what it
# depends on, then the gallery with the extras that its notebooks need.
wheel: $(VENV)/.tools
	rm -rf build/wheel && mkdir -p build/wheel
	$(PY) -c "from scikit_build_core.build import build_sdist; build_sdist('build/wheel')"
	$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir build/wheel \
	  build/wheel/schedlab-*.tar.gz
	python3 -m venv build/wheel/env
	cd build/wheel && env/bin/python -m pip install --quiet --constraint ../../constraints.txt schedlab-*.whl
	cd build/wheel && env/bin/python -I ../../tests/packaging/first_run.py
	cd build/wheel && env/bin/python -m pip install --quiet --constraint ../../constraints.txt \
	  "$$(echo schedlab-*.whl)[evolve,history,rl,viz]" ipykernel nbclient nbformat
	build/wheel/env/bin/python examples/notebooks/execute.py --check

# Writes what the notebooks print into them.
notebooks: $(VENV)/.installed
	$(PY) examples/notebooks/execute.py

format: $(VENV)/.installed
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

build: $(VENV)/.installed

$(VENV)/.demo: $(SOURCES)
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --constraint constraints.txt scikit-build-core nanobind cmake ninja
	$(PY) -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable ".[viz,history]"
	touch $@

$(VENV)/.tools: pyproject.toml constraints.txt
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --constraint constraints.txt --group dev cmake ninja
	touch $@

$(VENV)/.installed: $(VENV)/.tools $(SOURCES)
	$(PY) -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable ".[all]"
	$(PY) -m nanobind.stubgen -q -m schedlab._core -o src/schedlab/_core.pyi
	touch $@

# The peer that the simulator is compared with.
$(VENV)/.bench: $(VENV)/.installed
	$(PY) -m pip install --quiet --constraint constraints.txt --group bench
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(PY) -m pip install --quiet --constraint constraints.txt --group docs
	touch $@

clean:
	rm -rf build site out $(VENV)
