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
#   make fuzz        what reads strangers' bytes, under libFuzzer: FUZZ_SECONDS= for each of
#                    FUZZ_TARGETS= (default: 20, all of test/fuzz); needs clang
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
# the seeds of the fuzz targets are unit tests, too
UNIT_PROGRAMS = $(patsubst test/unit/%.c,$(UNIT_BUILD)/%,$(wildcard test/unit/*_test.c)) \
	$(patsubst test/fuzz/%_fuzz.c,$(UNIT_BUILD)/fuzz_%_test,$(wildcard test/fuzz/*_fuzz.c))
UNIT_COMMON = $(patsubst %.c,$(UNIT_BUILD)/%.o,$(COMMON_SOURCES))
# the loader but its commands, and of its server what needs no libmicrohttpd, as an archive: a test
# links what it names
UNIT_LOADER_SOURCES = $(filter-out loader/main.c loader/command_%.c,$(wildcard loader/*.c)) \
	$(wildcard loader/rows/*.c loader/database/*.c loader/http/*.c loader/measure/*.c) \
	$(addprefix loader/serve/,accept_encoding.c copy_value.c serve_request.c)
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
	$(CC) $(UNIT_CFLAGS) $(COVERAGE) -MMD -MP -c -o $@ $<

$(UNIT_BUILD)/loader/%.o: loader/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) $(UNIT_LOADER_CFLAGS) $(COVERAGE) -MMD -MP -c -o $@ $<

# the Makefile says what belongs to it, and objects that are missing are not missed by themselves
$(UNIT_ARCHIVE): $(UNIT_LOADER) Makefile
	@rm -f $@
	$(AR) rcs $@ $(UNIT_LOADER)

$(UNIT_BUILD)/%_test: test/unit/%_test.c $(wildcard test/unit/*.h) $(UNIT_COMMON) $(UNIT_ARCHIVE)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) $(UNIT_LOADER_CFLAGS) -o $@ $< $(UNIT_ARCHIVE) $(UNIT_COMMON) $(UNIT_LIBS)

# --- fuzz targets: the same objects, by libFuzzer or by a replay of the seeds ---------------

FUZZ_SECONDS ?= 20
FUZZ_TARGETS ?= $(patsubst test/fuzz/%_fuzz.c,%,$(wildcard test/fuzz/*_fuzz.c))
FUZZ_CC ?= clang
FUZZ_BUILD = build/fuzz
FUZZ_SANITIZERS = -fsanitize=address,undefined -fno-sanitize-recover=all
# of what is tested, not of the targets: their own branches are no news
FUZZ_COVERAGE = -fsanitize=fuzzer-no-link
FUZZ_HEADERS = test/unit/nested_types.h $(wildcard test/fuzz/*.h test/fuzz/server_stub/*.h test/fuzz/server_stub/*/*.h)
# what the targets share, and of the extension what does not need a server
FUZZ_EXTENSION = $(addprefix extension/,host_rules.c http_url.c http_header.c \
	http_headers.c credentials.c printable.c foreign_memory.c)
FUZZ_SOURCES = $(filter-out %_fuzz.c %/replay.c %/fuzz_message.c,$(wildcard test/fuzz/*.c)) \
	$(wildcard test/fuzz/server_stub/*.c) $(FUZZ_EXTENSION)
FUZZ_OBJECTS = $(patsubst %.c,$(UNIT_BUILD)/fuzz/%.o,$(FUZZ_SOURCES))
FUZZ_ARCHIVE = $(UNIT_BUILD)/fuzz.a
FUZZ_CFLAGS = $(UNIT_CFLAGS) $(UNIT_LOADER_CFLAGS) -Itest/fuzz -Itest/fuzz/server_stub -Itest/unit -Iextension
# before the loader's own, which would be found first
FUZZ_MESSAGE = $(UNIT_BUILD)/fuzz/test/fuzz/fuzz_message.o
FUZZ_LINKED = $(FUZZ_MESSAGE) $(FUZZ_ARCHIVE) $(UNIT_ARCHIVE) $(UNIT_COMMON)

$(UNIT_BUILD)/fuzz/extension/%.o: extension/%.c $(FUZZ_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) $(COVERAGE) -Wno-sign-compare -MMD -MP -c -o $@ $<

$(UNIT_BUILD)/fuzz/test/%.o: test/%.c $(FUZZ_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(FUZZ_CFLAGS) -MMD -MP -c -o $@ $<

$(FUZZ_ARCHIVE): $(FUZZ_OBJECTS) Makefile
	@rm -f $@
	$(AR) rcs $@ $(FUZZ_OBJECTS)

$(UNIT_BUILD)/fuzz_%_test: test/fuzz/%_fuzz.c test/fuzz/replay.c $(FUZZ_HEADERS) $(FUZZ_LINKED)
	$(CC) $(FUZZ_CFLAGS) -DREPLAY_SEEDS='"test/fuzz/seeds/$*"' -o $@ $< test/fuzz/replay.c \
		$(FUZZ_LINKED) $(UNIT_LIBS)

$(UNIT_BUILD)/%_fuzz: test/fuzz/%_fuzz.c $(FUZZ_HEADERS) $(FUZZ_LINKED)
	$(CC) $(FUZZ_CFLAGS) -c -o $@.o $<
	$(CC) $(FUZZ_CFLAGS) -fsanitize=fuzzer -o $@ $@.o $(FUZZ_LINKED) $(UNIT_LIBS)

.PHONY: fuzz fuzz-programs
fuzz-programs: $(patsubst %,$(UNIT_BUILD)/%_fuzz,$(FUZZ_TARGETS))
fuzz:
	@command -v $(FUZZ_CC) >/dev/null || \
		{ echo "make fuzz needs clang with libFuzzer: apt-get install clang, or name another with FUZZ_CC=" >&2; exit 1; }
	@$(MAKE) --no-print-directory -s fuzz-programs CC='$(FUZZ_CC)' UNIT_BUILD=$(FUZZ_BUILD) \
		SANITIZE='$(FUZZ_SANITIZERS)' COVERAGE='$(FUZZ_COVERAGE)'
	@test/fuzz/run.sh $(FUZZ_BUILD) $(FUZZ_SECONDS) $(FUZZ_TARGETS)

-include $(UNIT_COMMON:.o=.d) $(UNIT_LOADER:.o=.d) $(FUZZ_OBJECTS:.o=.d)

.SECONDARY: $(UNIT_COMMON) $(UNIT_LOADER) $(FUZZ_OBJECTS) $(FUZZ_MESSAGE)

# --- trying and testing --------------------------------------------------------

STAGE = $(CURDIR)/build/stage
C_FILES = $(wildcard extension/*.[ch] common/*.[ch] loader/*.[ch] loader/*/*.[ch] test/unit/*.[ch]) \
	$(wildcard test/fuzz/*.[ch] test/fuzz/server_stub/*.[ch] test/fuzz/server_stub/*/*.h) \
	$(wildcard test/lib/*.c)

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
		--inline-suppr -Icommon -Iloader common loader test/unit test/fuzz test/lib extension
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
