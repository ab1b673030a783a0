# SPDX-License-Identifier: GPL-2.0-only
# `make help` lists the targets. Everything that is made lies in build/.
#
#   V=release|debug|san|cov   which build, in build/$(V); release if not said
#   CC=clang                  another compiler
#   T="name name"             `make check` runs only these test programs

V ?= release
VERSION := 0.1.0
B := build/$(V)

ifeq ($(filter $(V),release debug san cov),)
$(error V=$(V) is no build: use V=release, debug, san or cov)
endif
ifeq ($(origin CC),default)
CC := gcc
endif

# ---- flags -------------------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual \
	-Wwrite-strings -Wformat=2 -Wno-format-nonliteral -Wvla -Wundef -Wnull-dereference
FLAGS_release := -O2 -g
# PAGESET_CHECKS: the full walks of the invariants
FLAGS_debug := -Og -g3 -DPAGESET_CHECKS=1
FLAGS_san := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DPAGESET_CHECKS=1
FLAGS_cov := -O0 -g --coverage -DPAGESET_CHECKS=1
BASE_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Isrc -MMD -MP $(WARN) $(FLAGS_$(V)) $(CFLAGS) $(CPPFLAGS)

# ---- parts: each folder of src that exists becomes lib<part>.a, in link order ------------------------------------------

ALL_PARTS := tui script scenario kernel core base
PARTS := $(foreach p,$(ALL_PARTS),$(if $(wildcard src/$(p)/*.c),$(p)))
PKG_tui := ncursesw panelw
PKG_script := lua5.4
PKG_scenario := libcyaml yaml-0.1
PKG_base := zlib
PKGS := $(foreach p,$(PARTS),$(PKG_$(p)))
CFLAGS_PKGS = $(if $(PKGS),$(shell pkg-config --cflags $(PKGS)))
LIBS_PKGS = $(if $(PKGS),$(shell pkg-config --libs $(PKGS)))
# asked for once, and only when something is built
$(foreach p,$(PARTS),$(eval CFLAGS_$(p) = $$(eval CFLAGS_$(p) := $$(if $(PKG_$(p)),$$(shell pkg-config --cflags $(PKG_$(p)))))$$(CFLAGS_$(p))))

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

# ---- what is built -----------------------------------------------------------------------------------------------------

.PHONY: all
.DEFAULT_GOAL := all
## all: build the tool (build/$(V)/pageset)
all: $(B)/pageset $(LIBS)

$(B)/pageset: $(B)/main.o $(CMD_LIB) $(LIBS)
	$(CC) $(FLAGS_$(V)) $(LDFLAGS) -o $@ $^ $(LIBS_PKGS) -lm -pthread

$(B)/main.o $(CMD_SRCS:src/%.c=$(B)/%.o): CFLAGS_PART = $(CFLAGS_PKGS) -DPAGESET_VERSION='"$(VERSION)"'
$(B)/main.o $(CMD_SRCS:src/%.c=$(B)/%.o): $(B)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CFLAGS_PART) -c -o $@ $<

define part_rules
$$(B)/lib$(1).a: $$(call objects,$(1))
	@rm -f $$@
	$$(AR) rcs $$@ $$^
$$(call objects,$(1)): $$(B)/%.o: src/%.c Makefile
	@mkdir -p $$(@D)
	$$(CC) $$(BASE_CFLAGS) $$(CFLAGS_$(1)) -c -o $$@ $$<
endef
$(foreach p,$(PARTS),$(eval $(call part_rules,$(p))))

$(B)/libcmd.a: $(CMD_SRCS:src/%.c=$(B)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

# the embedded source text is read by .incbin, which -MMD does not see
$(B)/core/source.o: $(wildcard src/core/*.c src/core/*.h src/core/*.def)

.PHONY: tests
## tests: build the test programs without running them
tests: $(TESTS)

$(TEST_SRCS:tests/%.c=$(B)/tests/%.o): CFLAGS_PART = $(CFLAGS_PKGS) $(shell pkg-config --cflags criterion)
$(TEST_SRCS:tests/%.c=$(B)/tests/%.o): $(B)/tests/%.o: tests/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CFLAGS_PART) -c -o $@ $<

$(CORE_TESTS): $(B)/tests/%: $(B)/tests/%.o $(filter %/libcore.a,$(LIBS))
	$(CC) $(FLAGS_$(V)) $(LDFLAGS) -o $@ $^ $(shell pkg-config --libs criterion) -lm -pthread
$(OTHER_TESTS): $(B)/tests/%: $(B)/tests/%.o $(CMD_LIB) $(LIBS)
	$(CC) $(FLAGS_$(V)) $(LDFLAGS) -o $@ $^ $(LIBS_PKGS) $(shell pkg-config --libs criterion) -lm -pthread

-include $(wildcard $(B)/*.d $(B)/*/*.d)

.PHONY: clean
## clean: remove build/
clean:
	rm -rf build
