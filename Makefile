# pg_transferbench: one front door.
#
#   make deps        installs what is missing (apt), or prints the list
#   make             the extension (PGXS) and the loader
#   make install     both; DESTDIR= and PG_CONFIG= as usual
#   make demo        a throw-away cluster and the three answers in one screen
#   make test        unit, regression and TAP tests in throw-away clusters
#   make installcheck  pg_regress alone, against a server that has the extension
#   make lint        format and static checks
#   make sanitize    unit tests, and the loader, under address and undefined-behaviour sanitizers
#   make valgrind    tests of the extension with every backend under valgrind; takes its time
#   make dist        the release archive

EXTENSION_NAME = pg_transferbench
PG_CONFIG ?= pg_config

# --- the extension: PGXS -----------------------------------------------------

MODULE_big = $(EXTENSION_NAME)
EXTENSION = extension/$(EXTENSION_NAME)
DATA = $(wildcard extension/$(EXTENSION_NAME)--*.sql)
PGFILEDESC = "pg_transferbench - what it costs to move rows over an HTTP JSON API"

COMMON_SOURCES = $(wildcard common/*.c)
EXTENSION_OBJECTS = $(patsubst %.c,build/%.o,$(wildcard extension/*.c))
OBJS = $(EXTENSION_OBJECTS) $(patsubst %.c,build/extension/%.o,$(COMMON_SOURCES))

REGRESS = $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --inputdir=. --encoding=UTF8 --no-locale

# the version lives in the control file
PROJECT_VERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'/\1/p" extension/$(EXTENSION_NAME).control)

PG_CPPFLAGS = -Icommon -DTRANSFERBENCH_VERSION='"$(PROJECT_VERSION)"' $(shell pkg-config --cflags libcurl json-c zlib 2>/dev/null)
# -ffp-contract=off: the reference rows are the same bits on every machine
PG_CFLAGS = -std=gnu11 -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers \
	-ffp-contract=off
SHLIB_LINK = $(shell pkg-config --libs libcurl json-c zlib 2>/dev/null)

# no code here is worth inlining into queries, and the build then needs no clang
override with_llvm := no

EXTRA_CLEAN = build results regression.diffs regression.out tmp_check

PGXS := $(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null))
ifneq ($(PGXS),)
include $(PGXS)
else
.PHONY: all install uninstall clean installcheck
all install uninstall installcheck:
	@echo "$(PG_CONFIG) --pgxs leads to no PGXS: run 'make deps', or name a server's pg_config with PG_CONFIG=" >&2
	@exit 1
clean:
	rm -rf $(EXTRA_CLEAN)
endif

build/extension/%.o: extension/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CFLAGS_SL) $(CPPFLAGS) -MMD -MP -c -o $@ $<

build/extension/common/%.o: common/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CFLAGS_SL) $(CPPFLAGS) -MMD -MP -c -o $@ $<

-include $(OBJS:.o=.d)

# --- the loader --------------------------------------------------------------

.PHONY: loader install-loader uninstall-loader
all: loader
install: install-loader
uninstall: uninstall-loader
loader:
	$(MAKE) -C loader PG_CONFIG=$(PG_CONFIG)
install-loader: loader
	$(MAKE) -C loader install PG_CONFIG=$(PG_CONFIG) DESTDIR=$(DESTDIR)
uninstall-loader:
	$(MAKE) -C loader uninstall PG_CONFIG=$(PG_CONFIG) DESTDIR=$(DESTDIR)

# --- unit tests of common/ and of the loader's parts -------------------------

UNIT_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -ffp-contract=off -Wall -Wextra -Wshadow \
	-Wstrict-prototypes -Wvla -Icommon $(shell pkg-config --cflags json-c zlib 2>/dev/null) $(SANITIZE)
UNIT_LIBS = $(shell pkg-config --libs libpq libcurl json-c zlib libcrypto 2>/dev/null) -lm -pthread
UNIT_BUILD ?= build/unit
UNIT_PROGRAMS = $(patsubst test/unit/%.c,$(UNIT_BUILD)/%,$(wildcard test/unit/*_test.c))
UNIT_COMMON = $(patsubst %.c,$(UNIT_BUILD)/%.o,$(COMMON_SOURCES))
# all of the loader but its commands and its server, as an archive: a test links what it names
UNIT_LOADER_SOURCES = $(filter-out loader/main.c loader/command_%.c,$(wildcard loader/*.c)) \
	$(wildcard loader/rows/*.c loader/database/*.c loader/http/*.c loader/measure/*.c)
UNIT_LOADER = $(patsubst %.c,$(UNIT_BUILD)/%.o,$(UNIT_LOADER_SOURCES))
UNIT_ARCHIVE = $(UNIT_BUILD)/loader.a
UNIT_LOADER_CFLAGS = -D_GNU_SOURCE -Iloader -DTRANSFERBENCH_VERSION='"$(PROJECT_VERSION)"' \
	-pthread $(shell pkg-config --cflags libpq libcurl libcrypto 2>/dev/null)

.PHONY: unit unit-programs
unit-programs: $(UNIT_PROGRAMS)
unit: unit-programs
	prove --exec '' $(UNIT_PROGRAMS)

$(UNIT_BUILD)/common/%.o: common/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_BUILD)/loader/%.o: loader/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) $(UNIT_LOADER_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_ARCHIVE): $(UNIT_LOADER)
	@rm -f $@
	$(AR) rcs $@ $(UNIT_LOADER)

$(UNIT_BUILD)/%_test: test/unit/%_test.c $(wildcard test/unit/*.h) $(UNIT_COMMON) $(UNIT_ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) $(UNIT_LOADER_CFLAGS) -o $@ $< $(UNIT_ARCHIVE) $(UNIT_COMMON) $(UNIT_LIBS)

-include $(UNIT_COMMON:.o=.d) $(UNIT_LOADER:.o=.d)

.SECONDARY: $(UNIT_COMMON) $(UNIT_LOADER)

# --- trying and testing --------------------------------------------------------

STAGE = $(CURDIR)/build/stage
C_FILES = $(wildcard extension/*.[ch] common/*.[ch] loader/*.[ch] loader/*/*.[ch] test/unit/*.[ch])

.PHONY: deps stage demo test lint sanitize valgrind dist
# The front door of a bare machine: a make of its own, since what deps installs
# (PGXS, pkg-config's answers) is looked for when a Makefile is read.
deps:
	@test/install_packages.sh

stage: all
	@rm -rf $(STAGE)
	@$(MAKE) install DESTDIR=$(STAGE) >build/stage.log

demo: deps
	@$(MAKE) --no-print-directory -s stage
	@PG_CONFIG=$(PG_CONFIG) test/demo.sh

test: deps
	@$(MAKE) --no-print-directory -s stage unit-programs
	@PG_CONFIG=$(PG_CONFIG) test/run_tests.sh $(TESTS)

lint:
	@clang-format --dry-run --Werror $(C_FILES)
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr -Icommon -Iloader common loader test/unit extension
	@test -f extension/$(EXTENSION_NAME)--$(PROJECT_VERSION).sql || \
		{ echo "there is no install script for version $(PROJECT_VERSION)" >&2; exit 1; }
	@test "$$(grep -c '"version": "$(PROJECT_VERSION)"' META.json)" -eq 2 || \
		{ echo "META.json does not have version $(PROJECT_VERSION), as the control file" >&2; exit 1; }

# the unit tests and the loader's tests once more, with the compiler's own checks of memory and
# arithmetic
SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all
LOADER_TESTS = $(basename $(notdir $(wildcard test/t/03*.pl test/t/04*.pl test/t/05*.pl)))

sanitize: export ASAN_OPTIONS = detect_leaks=1
sanitize: export TRANSFERBENCH_SANITIZED = 1
sanitize: export TRANSFERBENCH_PROGRAM = $(CURDIR)/build/loader-sanitized/transferbench
sanitize: stage
	$(MAKE) unit UNIT_BUILD=build/unit-sanitized SANITIZE='$(SANITIZERS)'
	$(MAKE) -C loader BUILD=../build/loader-sanitized SANITIZE='$(SANITIZERS)'
	@PG_CONFIG=$(PG_CONFIG) test/run_tests.sh $(LOADER_TESTS)

valgrind: stage
	@PG_CONFIG=$(PG_CONFIG) test/valgrind.sh $(TESTS)

# what PGXN takes
dist:
	@mkdir -p build
	git archive --format=zip --prefix=$(EXTENSION_NAME)-$(PROJECT_VERSION)/ \
		-o build/$(EXTENSION_NAME)-$(PROJECT_VERSION).zip HEAD
