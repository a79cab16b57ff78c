# heapstory: everything a fresh Debian 12 needs, in a few targets. Each one sets up what it lacks
# and does nothing where there is nothing left to do.

PYTHON := /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
NATIVE_TESTS := build/native-tests
SANITIZED := build/sanitized
EXTRAS := prove,shell,arrow,tui,dask,test,docs,lint,release
JOBS ?= 2
# OFF: the static analysis stays Python, so that a change of it needs no build (but a third as fast).
COMPILED ?= ON
TIMES ?= 20
# What pytest runs.
TESTS ?= tests
# What `make test-distros` makes, and which tests it runs there; SAMPLE=tests is all of them.
SUITES ?= trixie forky
SAMPLE ?= tests/recorder tests/recording tests/trace tests/locating/test_command.py tests/cfront
# Damaged copies of each trace that `make sanitize` asks.
COPIES ?= 100

NODE ?= $(if $(shell command -v npm),,nodejs npm)
# The tests open the page in both.
BROWSERS ?= chromium firefox-esr
# valgrind: the engine, its headers and static libraries; libc6-dbg: names inside libc and the
# dynamic loader's symbols, without which Valgrind cannot start a program. node bundles the page of
# heapstory view (any node from 18 on will do), which the tests open in two browsers.
APT_PACKAGES := valgrind libc6-dbg gcc g++ cmake ninja-build pkg-config make \
	libdw-dev libelf-dev libzstd-dev libiberty-dev libzydis-dev nlohmann-json3-dev \
	graphviz catch2 gdb clang clang-format llvm libclang-rt-dev dwz rustc perl \
	python3 python3-venv python3-dev git $(NODE) \
	mmdebstrap man-db zsh fish $(BROWSERS)

NATIVE_SOURCES := $(wildcard CMakeLists.txt) \
	$(shell find native \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.S' \
	-o -name CMakeLists.txt -o -name '*.cmake' -o -name '*.py' \) 2>/dev/null)
# Python that is compiled as well (native/static).
COMPILED_SOURCES := $(shell find src/heapstory/cfront src/heapstory/static -name '*.py')
# Named after the set of Python modules: an editable install knows where each one was, so a module
# that has moved needs a new one.
MODULES := $(STAMPS)/modules-$(shell find src -name '*.py' | sort | md5sum | cut -c1-12)
PAGE := src/heapstory/viewing/page/page.js
NODE_MODULES := viewer/node_modules/.package-lock.json
VIEWER_SOURCES := $(shell find viewer -name node_modules -prune -o -type f -print) \
	src/heapstory/reporters/colours.css
NATIVE_TEST_SOURCES := $(shell find tests/native -type f 2>/dev/null)
FORMATTED := $(filter %.c %.h %.cpp %.hpp,$(NATIVE_SOURCES) $(NATIVE_TEST_SOURCES)) \
	$(wildcard examples/*.c)

.PHONY: help setup packages demo test test-native test-python test-distros test-wheel fuzz \
	sanitize lint format bench bench-% docs man wheel changelog print-packages clean
.DELETE_ON_ERROR:

help: ## this list
	@sed -n 's/^\([a-z%-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | sort | while IFS="$$(printf '\t')" \
		read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done

setup: $(STAMPS)/install $(PAGE) ## apt packages, .venv, build and editable install

print-packages:
	@echo $(APT_PACKAGES)

packages:
	@missing=$$(for package in $(APT_PACKAGES); do \
		dpkg-query -W -f='$${db:Status-Status}' "$$package" 2>/dev/null | grep -q '^installed$$' \
		|| printf '%s ' "$$package"; done); \
	[ -z "$$missing" ] && exit 0; \
	sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
	echo "installing: $$missing"; \
	$$sudo apt-get update -q && \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $$missing

$(BIN)/python: | packages
	$(PYTHON) -m venv $(VENV)

# The dependencies, again only when pyproject.toml changed.
$(STAMPS)/dependencies: pyproject.toml | packages $(BIN)/python
	@mkdir -p $(STAMPS)
	$(BIN)/python tools/requirements.py $(EXTRAS) > $(STAMPS)/requirements.txt
	$(BIN)/python -m pip install -q -r $(STAMPS)/requirements.txt
	@touch $@

# The native core, the recorder and the package itself, again only when a source of them changed.
$(STAMPS)/install: $(STAMPS)/dependencies $(MODULES) $(NATIVE_SOURCES) $(COMPILED_SOURCES) | packages
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) \
		$(BIN)/python -m pip install -q --no-build-isolation --no-deps \
		--config-settings cmake.define.HEAPSTORY_COMPILED=$(COMPILED) -e .
	@touch $@

# The page of heapstory view, without data.
$(PAGE): $(NODE_MODULES) $(VIEWER_SOURCES)
	npm --prefix viewer run --silent build

$(NODE_MODULES): viewer/package-lock.json | packages
	npm --prefix viewer ci --silent
	@touch $@

$(MODULES):
	@mkdir -p $(STAMPS)
	@rm -f $(STAMPS)/modules-*
	@touch $@

demo: setup ## record two bundled programs with bugs and locate the faulty statement
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo.sh

test: test-native test-python ## all tests, native and Python

test-native: setup $(NATIVE_TESTS)/stamp
	ctest --test-dir $(NATIVE_TESTS) --output-on-failure -j $(JOBS)

$(NATIVE_TESTS)/stamp: $(STAMPS)/install $(NATIVE_SOURCES) $(NATIVE_TEST_SOURCES)
	cmake -S . -B $(NATIVE_TESTS) -G Ninja -DHEAPSTORY_TESTS=ON
	cmake --build $(NATIVE_TESTS) --parallel $(JOBS)
	@touch $@

test-python: setup $(NATIVE_TESTS)/stamp
	$(BIN)/python -m pytest -n $(JOBS) $(TESTS)

fuzz: setup ## the property tests with other random examples, TIMES as many
	HEAPSTORY_FUZZ=$(TIMES) $(BIN)/python -m pytest -n $(JOBS) $$(grep -rlE '@examples\(' tests)

sanitize: setup ## damaged traces, with a core that AddressSanitizer and UBSan watch
	cmake -S . -B $(SANITIZED) -G Ninja -DSKBUILD=ON -DHEAPSTORY_COMPILED=OFF \
		-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1' -DHEAPSTORY_SANITIZE=ON \
		-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	cmake --build $(SANITIZED) --parallel $(JOBS) --target _core
	$(BIN)/python -m tests.trace.sanitized $(SANITIZED)/native/python/_core*.so $(COPIES)

lint: setup ## ruff, mypy --strict, stubtest, clang-format, tsc --strict, names of news fragments
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --ignore-disjoint-bases --allowlist tools/stubtest.txt \
		heapstory._core
	clang-format --dry-run -Werror $(FORMATTED)
	npm --prefix viewer run --silent check
	$(BIN)/towncrier build --draft --version next > /dev/null

format: setup ## let ruff, clang-format and prettier rewrite the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	clang-format -i $(FORMATTED)
	npm --prefix viewer run --silent format

# One page of docs/evaluation each; what a page's script can do more, its own --help says. leaks
# measures whole programs from their compilation databases besides.
BENCH_record := record|queries
BENCH_portable := portable|truth --markdown
BENCH_locate := locate|locate_real
BENCH_leaks := leaks pairs|leaks twins|leaks confirm
BENCH_prove := prove structures|prove sources|prove aba|prove history|prove mutants
BENCH_guard := guard cost|guard checks|guard latency|guard detect|guard soak
BENCH_check := check --markdown
BENCH_truth := valgrind_suite --markdown
BENCH_slice := slice
BENCH_view := view_page|view --markdown
BENCH_batch := batch
BENCHES := batch record portable locate leaks prove guard check truth slice view

bench: ## which figures of docs/evaluation can be taken again (hours for all), and how
	@$(foreach page,$(BENCHES),printf 'make bench-%-9s docs/evaluation/%s.md\n' $(page) $(page); \
		printf '%s' '$(BENCH_$(page))' | tr '|' '\n' | sed 's|^|    python -m benchmarks.|'; echo;)

bench-%: setup ## the figures of one page of docs/evaluation: batch, record, portable, locate, leaks, prove, guard, check, truth, slice, view
	@[ -n '$(BENCH_$*)' ] || { echo "make bench lists the pages; $* is none" >&2; exit 1; }
	printf '%s' '$(BENCH_$*)' | tr '|' '\n' | \
		while read -r words || [ -n "$$words" ]; do $(BIN)/python -m benchmarks.$$words || exit; done

docs: setup ## the documentation as a site, into build/site; LINKS=yes checks links to other sites
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site
	[ -z "$(LINKS)" ] || $(BIN)/python -m sphinx -q -b linkcheck docs build/links

man: setup ## man pages, made from the tables of options, into build/man
	$(BIN)/python tools/man.py build/man

wheel: setup ## a wheel that needs nothing else on the machine, into dist/
	rm -rf build/wheel
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) $(BIN)/python -m pip wheel -q --no-build-isolation --no-deps \
		--config-settings build-dir=build/wheel-tree \
		--config-settings cmake.define.HEAPSTORY_COMPILED=$(COMPILED) -w build/wheel .
	$(BIN)/python tools/wheel.py build/wheel/*.whl dist

test-wheel: wheel ## the wheel in a bare root file system of this release: record, draw, locate; WHEELS=trixie also in that
	$(BIN)/python tools/distros.py wheel dist/*.whl
	for suite in $(WHEELS); do $(BIN)/python tools/distros.py wheel $$suite || exit; done

test-distros: setup ## build in other releases of Debian (SUITES) and run SAMPLE there
	$(BIN)/python tools/distros.py suite --tests '$(SAMPLE)' $(SUITES)

changelog: setup ## news/ into CHANGELOG.md, under the version of pyproject.toml
	$(BIN)/towncrier build --yes --version "$$($(BIN)/heapstory --version | cut -d' ' -f2)"

clean: ## remove everything built (keeps .venv)
	rm -rf build dist demo src/heapstory/viewing/page viewer/node_modules
