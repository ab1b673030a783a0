# SPDX-License-Identifier: GPL-2.0-only
# `make help` lists the targets. Everything that is made lies in build/.
#
#   V=release|debug|san|cov   which build, in build/$(V); release if not said
#   CC=clang                  another compiler
#   T="name name"             check, sanitize, valgrind: only these test programs (test_base_json ...), and no lint
#   VERBOSE=1                 shows the commands

CHECK_V := $(or $(V),debug)
V ?= release
VERSION := 0.1.0
B := build/$(V)
# where make install puts things; DESTDIR goes before them
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share/pageset
DOCDIR ?= $(PREFIX)/share/doc/pageset

# fuzz and lint are internal: clang's fuzzer; plain objects whose undefined symbols are all the code's own
ifeq ($(filter $(V),release debug san cov lint fuzz),)
$(error V=$(V) is no build: use V=release, debug, san or cov)
endif
ifeq ($(origin CC),default)
CC := gcc
endif

# ---- flags -------------------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
	-Wwrite-strings -Wformat=2 -Wno-format-nonliteral -Wvla -Wundef -Wnull-dereference
FLAGS_release := -O2 -g
# PAGESET_CHECKS: the full walks of the invariants; valgrind reads no later DWARF of clang's
FLAGS_debug := -Og -g -gdwarf-4 -DPAGESET_CHECKS=1
FLAGS_san := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DPAGESET_CHECKS=1
FLAGS_cov := -O0 -g --coverage -DPAGESET_CHECKS=1
FLAGS_fuzz := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -DPAGESET_CHECKS=1
FLAGS_lint := -O2 -U_FORTIFY_SOURCE -fno-stack-protector
# the hot paths of core go across its files; two stores side by side are not worth a vector; what is unlikely is rare
ifeq ($(V)-$(shell $(CC) --version 2>/dev/null | grep -c 'Free Software Foundation'),release-1)
FLAGS_core := -O3 -flto -fno-tree-slp-vectorize -ffat-lto-objects --param builtin-expect-probability=99
LINK_FAST := -flto=$(shell nproc 2>/dev/null || echo 1)
endif
BASE_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Isrc -MMD -MP $(WARN) $(FLAGS_$(V)) $(CFLAGS) $(CPPFLAGS)

Q := $(if $(VERBOSE),,@)
SAY = $(if $(VERBOSE),@:,@printf '  %-4s %s\n')
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# a variable that runs its command once, when it is first used
once = $(eval $(1) = $$(eval $(1) := $(2))$$($(1)))

# ---- parts: each folder of src that exists becomes lib<part>.a, in link order ------------------------------------------

ALL_PARTS := tui script scenario kernel core base
PARTS := $(foreach p,$(ALL_PARTS),$(if $(wildcard src/$(p)/*.c),$(p)))
PKG_tui := ncursesw panelw
PKG_script := lua5.4
PKG_scenario := libcyaml yaml-0.1
PKG_base := zlib
PKGS := $(foreach p,$(PARTS),$(PKG_$(p)))
$(call once,CFLAGS_PKGS,$$(if $(PKGS),$$(shell pkg-config --cflags $(PKGS))))
$(call once,LIBS_PKGS,$$(if $(PKGS),$$(shell pkg-config --libs $(PKGS))))
$(call once,CFLAGS_CRITERION,$$(shell pkg-config --cflags criterion))
$(call once,LIBS_CRITERION,$$(shell pkg-config --libs criterion))
$(foreach p,$(PARTS),$(call once,CFLAGS_$(p),$$(if $(PKG_$(p)),$$(shell pkg-config --cflags $(PKG_$(p))))))

objects = $(patsubst src/%.c,$(B)/%.o,$(wildcard src/$(1)/*.c))
LIBS := $(foreach p,$(PARTS),$(B)/lib$(p).a)
# the commands without main(), so that tests can link them
CMD_SRCS := $(filter-out src/main.c,$(wildcard src/*.c))
CMD_LIB := $(if $(CMD_SRCS),$(B)/libcmd.a)

# ---- tests -------------------------------------------------------------------------------------------------------------

TEST_SRCS := $(wildcard tests/test_*.c)
TESTS := $(TEST_SRCS:tests/%.c=$(B)/tests/%)
# a test of src/core/X.c, or one that says so, links libcore.a alone
CORE_TESTS := $(sort $(foreach t,$(TESTS:$(B)/tests/test_%=%),$(if $(wildcard src/core/$(t).c),$(B)/tests/test_$(t))) \
	$(patsubst tests/%.c,$(B)/tests/%,$(if $(TEST_SRCS),$(shell grep -ls '/\* links: core \*/' $(TEST_SRCS)))))
BASE_TESTS := $(filter $(B)/tests/test_base_%,$(TESTS))
OTHER_TESTS := $(filter-out $(CORE_TESTS),$(TESTS))
WANTED_TESTS := $(if $(T),$(T:%=$(B)/tests/%),$(TESTS))

# ---- what is built -----------------------------------------------------------------------------------------------------

.DEFAULT_GOAL := all
.PHONY: all
## all: build the tool (build/$(V)/pageset)
all: $(B)/pageset $(LIBS)

$(B)/pageset: $(B)/main.o $(CMD_LIB) $(LIBS)
	$(SAY) LINK $@
	$(Q)$(CC) $(FLAGS_$(V)) $(LINK_FAST) $(LDFLAGS) -o $@ $^ $(LIBS_PKGS) -lm -pthread

define archive
$(SAY) AR $@
@rm -f $@
$(Q)$(AR) rcs $@ $^
endef

define compile
@mkdir -p $(@D)
$(SAY) CC $<
$(Q)$(CC) $(BASE_CFLAGS) $(CFLAGS_PART) -c -o $@ $<
endef

# another compiler or other flags: everything is made again
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(BASE_CFLAGS) $(FLAGS_core) $(LDFLAGS) $(VERSION)' | cmp -s - $@ || echo '$(CC) $(BASE_CFLAGS) $(FLAGS_core) $(LDFLAGS) $(VERSION)' >$@
.PHONY: FORCE
FORCE:

CMD_OBJS := $(B)/main.o $(CMD_SRCS:src/%.c=$(B)/%.o)
$(CMD_OBJS): CFLAGS_PART = $(CFLAGS_PKGS) -DPAGESET_VERSION='"$(VERSION)"'
$(B)/data_dir.o: CFLAGS_PART += -DPAGESET_DATADIR='"$(DATADIR)"'
# another folder to install to: only what knows it is made again
$(B)/data_dir.o: $(B)/datadir
$(B)/datadir: FORCE
	@mkdir -p $(@D)
	@echo '$(DATADIR)' | cmp -s - $@ || echo '$(DATADIR)' >$@
$(CMD_OBJS): $(B)/%.o: src/%.c $(B)/flags
	$(compile)

$(B)/libcmd.a: $(CMD_SRCS:src/%.c=$(B)/%.o)
	$(archive)

define part_rules
$$(B)/lib$(1).a: $$(call objects,$(1))
	$$(archive)
$$(call objects,$(1)): CFLAGS_PART = $$(CFLAGS_$(1)) $$(FLAGS_$(1))
$$(call objects,$(1)): $$(B)/%.o: src/%.c $$(B)/flags
	$$(compile)
endef
$(foreach p,$(PARTS),$(eval $(call part_rules,$(p))))

# the mirror a second time, without its steps: see src/core/quiet_names.h
QUIET_OBJS := $(patsubst src/core/%.c,$(B)/core/quiet_%.o,$(wildcard $(patsubst %,src/core/%.c,buddy pcp vmstat zone)))
$(B)/libcore.a: $(QUIET_OBJS)
$(QUIET_OBJS): CFLAGS_PART = $(CFLAGS_core) $(FLAGS_core) -DMIRROR_QUIET
$(QUIET_OBJS): $(B)/core/quiet_%.o: src/core/%.c $(B)/flags
	$(compile)

# tables that may come later, which -MMD does not know before they are there
$(B)/gen_man.o: $(wildcard src/tui/key.def src/script/api.def)


# assembler at the top level gets lost in the step across files
$(B)/core/source.o: FLAGS_core :=
# the embedded source text is read by .incbin, which -MMD does not see
$(B)/core/source.o: $(wildcard src/core/*.c src/core/*.h src/core/*.def)

ifneq ($(TEST_SRCS),)
$(TESTS:=.o): CFLAGS_PART = $(CFLAGS_PKGS) $(CFLAGS_CRITERION)
$(TESTS:=.o): $(B)/tests/%.o: tests/%.c $(B)/flags
	$(compile)
endif

link_test = $(Q)$(CC) $(FLAGS_$(V)) $(LINK_FAST) $(LDFLAGS) -o $@ $^
$(CORE_TESTS): $(B)/tests/%: $(B)/tests/%.o $(filter %/libcore.a,$(LIBS))
	$(SAY) LINK $@
	$(link_test) $(LIBS_CRITERION) -lm -pthread
$(OTHER_TESTS): $(B)/tests/%: $(B)/tests/%.o $(CMD_LIB) $(LIBS)
	$(SAY) LINK $@
	$(link_test) $(LIBS_PKGS) $(LIBS_CRITERION) -lm -pthread

FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
ifneq ($(FUZZERS),)
$(FUZZERS:=.o): CFLAGS_PART = $(CFLAGS_PKGS)
$(FUZZERS:=.o): $(B)/%.o: tests/fuzz/%.c $(B)/flags
	$(compile)
$(FUZZERS): $(B)/%: $(B)/%.o $(LIBS)
	$(SAY) LINK $@
	$(Q)$(CC) $(FLAGS_$(V)) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(LIBS_PKGS) -lm -pthread
endif
.PHONY: fuzzers
fuzzers: $(FUZZERS)

-include $(wildcard $(B)/*.d $(B)/*/*.d)

.PHONY: tests
## tests: build the test programs of V without running them
tests: $(WANTED_TESTS)

# ---- what is run: each in a make of its own, so that what deps installs is seen ----------------------------------------

.PHONY: deps
## deps: install what building and checking need, if anything is missing (apt)
deps:
	@tools/deps.sh build check

.PHONY: run
## run: build and open the tool; without a terminal run the default scenario
run:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@if [ -t 0 ] && [ -t 1 ]; then $(B)/pageset; else $(B)/pageset run scenarios/exit-drain.yaml; fi

.PHONY: check
## check: deps, build, lint, all tests (in the debug build unless V is given), all vectors; last line N passed, M failed
check:
	@tools/deps.sh build check
	@$(MAKE) --no-print-directory -j$(JOBS) V=release all
	@$(MAKE) --no-print-directory -j$(JOBS) V=$(CHECK_V) all tests
	@T="$(T)" tests/run.sh check build/$(CHECK_V)/tests $(notdir $(WANTED_TESTS))

.PHONY: lint
## lint: the rules of the house (CONTRIBUTING.md), each with ok or FAIL
lint:
	@tools/deps.sh build check
	@tests/lint.sh

.PHONY: format
## format: clang-format over src and tests
format:
	@tools/deps.sh check
	clang-format -i $(wildcard src/*.[ch] src/*/*.[ch] tests/*.[ch] tests/*/*.[ch])

.PHONY: fuzz
FUZZ_S ?= 60
## fuzz: libFuzzer on every parser of foreign text and on the timeline, FUZZ_S seconds each (60); T="fuzz_name ..." for some
fuzz:
	@tools/deps.sh build fuzz
	@$(MAKE) --no-print-directory -j$(JOBS) V=fuzz CC=clang fuzzers
	@tests/fuzz/run.sh build/fuzz $(FUZZ_S) $(T)

.PHONY: sanitize
## sanitize: all tests under ASan and UBSan
sanitize:
	@tools/deps.sh build check
	@$(MAKE) --no-print-directory -j$(JOBS) V=san all tests
	@tests/run.sh sanitize build/san/tests $(notdir $(WANTED_TESTS))

.PHONY: valgrind
## valgrind: the tests of core and base under valgrind
valgrind:
	@tools/deps.sh build check valgrind
	@$(MAKE) --no-print-directory -j$(JOBS) V=debug all tests
	@tests/run.sh valgrind build/debug/tests $(notdir $(or $(T),$(CORE_TESTS) $(BASE_TESTS)))

.PHONY: coverage
## coverage: lines that the tests reach; the report is build/cov/report.html
coverage:
	@tools/deps.sh build check coverage
	@find build/cov -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory -j$(JOBS) V=cov all tests
	@tests/run.sh coverage build/cov/tests $(notdir $(WANTED_TESTS))
	@gcovr --root . --filter src/ --object-directory build/cov --html-details build/cov/report.html --txt build/cov/report.txt
	@tail -n 3 build/cov/report.txt

ifneq ($(wildcard src/cmd_bench.c),)
.PHONY: bench
## bench: how fast, in ratios to a yardstick of the same run
bench: all
	@$(B)/pageset bench
endif

DOCS = $(shell git ls-files 'README.md' 'CONTRIBUTING.md' 'docs/*.md')
.PHONY: docs docs-check
## docs: run every command of the documentation and write what it prints into the text
docs: all
	@tools/docs.sh update $(DOCS)
## docs-check: the same, but only compare; and check the links inside the tree
docs-check: all
	@tools/docs.sh check $(DOCS)

.PHONY: screenshots
## screenshots: make screenshots/*.svg from the real program in a real terminal (tmux)
screenshots: all
	@tools/deps.sh build screenshots
	@tools/screenshots.sh $(B)/pageset screenshots

MONKEY_KEYS ?= 100000
.PHONY: monkey
## monkey: MONKEY_KEYS random keys (100000) and a random size every hundredth, under the sanitizers
monkey:
	@tools/deps.sh build check
	@$(MAKE) --no-print-directory -j$(JOBS) V=san build/san/tests/test_tui_monkey
	@LC_ALL=C.UTF-8 TUI_MONKEY_KEYS=$(MONKEY_KEYS) build/san/tests/test_tui_monkey --verbose

# ---- installing: what the program itself prints from its tables, and the files that users run and copy ------------------

PAGES = $(shell $(B)/pageset help --man=list 2>&1 | sed -n 's/^ *expected //p' | tr -d ,)

.PHONY: man
## man: the man pages, in build/$(V)/man, and the completions beside them
man: all
	@mkdir -p $(B)/man $(B)/completion
	@for page in $(PAGES); do $(B)/pageset help --man=$$page >$(B)/man/$$page || exit 1; done
	@for shell in bash zsh fish; do $(B)/pageset help --completion=$$shell >$(B)/completion/$$shell || exit 1; done

INSTALL ?= install
DEST = $(DESTDIR)

.PHONY: install
## install: program, man pages, completion, scenarios and scripts below PREFIX (/usr/local), before it DESTDIR
install: man
	$(Q)$(INSTALL) -D -m 755 $(B)/pageset $(DEST)$(BINDIR)/pageset
	$(Q)for page in $(PAGES); do \
		$(INSTALL) -D -m 644 $(B)/man/$$page $(DEST)$(MANDIR)/man$${page##*.}/$$page || exit 1; done
	$(Q)$(INSTALL) -D -m 644 $(B)/completion/bash $(DEST)$(PREFIX)/share/bash-completion/completions/pageset
	$(Q)$(INSTALL) -D -m 644 $(B)/completion/zsh $(DEST)$(PREFIX)/share/zsh/site-functions/_pageset
	$(Q)$(INSTALL) -D -m 644 $(B)/completion/fish $(DEST)$(PREFIX)/share/fish/vendor_completions.d/pageset.fish
	$(Q)find scenarios scripts -type f 2>/dev/null | while read -r file; do \
		$(INSTALL) -D -m 644 "$$file" "$(DEST)$(DATADIR)/$$file" || exit 1; done
	$(Q)for file in README.md CHANGES.md LICENSE; do \
		$(INSTALL) -D -m 644 $$file $(DEST)$(DOCDIR)/$$file || exit 1; done

.PHONY: uninstall
## uninstall: take away what install put there
uninstall:
	$(Q)rm -f $(DEST)$(BINDIR)/pageset $(DEST)$(PREFIX)/share/bash-completion/completions/pageset \
		$(DEST)$(PREFIX)/share/zsh/site-functions/_pageset $(DEST)$(PREFIX)/share/fish/vendor_completions.d/pageset.fish \
		$(DEST)$(MANDIR)/man1/pageset.1 $(DEST)$(MANDIR)/man5/pageset-scenario.5 $(DEST)$(MANDIR)/man3/pageset-lua.3
	$(Q)rm -rf $(DEST)$(DATADIR) $(DEST)$(DOCDIR)

.PHONY: deb
DEB_ROOT = $(B)/deb
## deb: a Debian package in build/, installed below /usr
deb:
	@tools/deps.sh build
	@rm -rf $(DEB_ROOT)
	@$(MAKE) --no-print-directory -j$(JOBS) PREFIX=/usr DESTDIR=$(CURDIR)/$(DEB_ROOT) install
	@tools/deb.sh $(DEB_ROOT) $(VERSION) build

.PHONY: clean
## clean: remove build/
clean:
	rm -rf build

.PHONY: help
## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): /\1\t/p' $(firstword $(MAKEFILE_LIST)) | while IFS='	' read -r name text; do \
		printf '  make %-10s %s\n' "$$name" "$$text"; done
