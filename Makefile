# `make help` lists what there is to make. Set-up runs by itself and takes no time when nothing is missing.

PREFIX = /usr/local
ROOT = $(DESTDIR)$(PREFIX)

# The program as it is installed: the Swift runtime in it, and OpenVINO looked for beside it before the system's.
BUILD = swift build -c release --product matte --scratch-path .build/product --static-swift-stdlib \
	-Xlinker -rpath -Xlinker '$$ORIGIN/../lib/matte'
PROGRAM = .build/product/release/matte
SOURCES = Package.swift $(shell find Sources -type f)

# OpenVINO where set-up brought it; empty where the system has its own.
RUNTIME = $(shell pkg-config --variable=prefix openvino 2>/dev/null | grep /matte-openvino-)

# The manifest and what it names; other files may lie there from before.
MODELS = models/manifest.json $(shell sed -nE 's/.*"(file|canonicalFace)": "([^"]*)".*/models\/\2/p' models/manifest.json)

# How fuzzing is built. The linker keeps libFuzzer's counters, which nothing refers to.
FUZZ = MATTE_LIBFUZZER=1 swift build --package-path Fuzzing --product fuzz --sanitize=fuzzer --sanitize=address \
	-Xswiftc -use-ld=lld -Xlinker -z -Xlinker nostart-stop-gc
SEEDS = Fuzzing/.build/seeds
SECONDS = 60
COUNT = 2000
SANITIZERS = address thread

.PHONY: build setup demo test fuzz mutate sanitize endurance quality levels gallery bench lint docs install uninstall clean help

build: $(PROGRAM)  ## build the program (the default)

$(PROGRAM): $(SOURCES) | setup
	$(BUILD)
	@touch $@

setup:  ## install what the build needs: FFmpeg, OpenVINO, the models
	@scripts/setup

demo: $(PROGRAM)  ## replace the background of the sample clip
	@mkdir -p demo
	$(PROGRAM) --quality balanced --overwrite samples/anna.mp4 demo/out.mp4
	@ffmpeg -v error -y -i samples/anna.mp4 -i demo/out.mp4 -frames:v 1 -filter_complex \
	    '[0]format=yuv420p[in]; [1]format=yuv420p[out]; [in][out]vstack, fps=3/2, scale=320:-2, tile=6x1' \
	    demo/contact-sheet.png
	@echo
	@echo 'The result:      demo/out.mp4            look at it with: ffplay -loop 0 demo/out.mp4'
	@echo 'Before / after:  demo/contact-sheet.png  opens in any picture viewer'

test:  ## build with optimisation, which pictures take an age without, and run the tests
	@scripts/setup tests
	swift test -c release -Xswiftc -enable-testing

endurance: $(PROGRAM)  ## send an hour of frames through a pipe: none may be lost, and memory may not grow
	scripts/endurance --program $(PROGRAM)

fuzz: setup  ## fuzz what takes bytes from strangers; SECONDS=60 for each target, or some with TARGETS="stream file …"
	Fuzzing/make-seeds $(SEEDS)
	$(FUZZ)
	SECONDS_EACH=$(SECONDS) Fuzzing/run $(TARGETS)

mutate: setup $(PROGRAM)  ## have damaged files read, COUNT=2000 of each kind, or of some with KINDS="mp4 gif …"
	Fuzzing/make-seeds $(SEEDS)
	swift run -c release --package-path Fuzzing mutate --seeds $(SEEDS) --findings Fuzzing/.build/findings \
	    --program $(PROGRAM) --count $(COUNT) $(KINDS)

sanitize: setup  ## run the tests with the address sanitizer, then with the thread sanitizer; some with SANITIZERS=thread
	$(foreach name,$(SANITIZERS),scripts/sanitize $(name) &&) true

quality: setup  ## measure the masks of every level against exact alpha; more clips with CLIPS="video:alpha …"
	swift run -c release --package-path Benchmarks quality $(CLIPS)

levels: setup $(PROGRAM)  ## measure the cost and quality of every level, and put the table into the README
	swift run -c release --package-path Benchmarks levels --program $(PROGRAM) --readme README.md

gallery: setup $(PROGRAM)  ## show every background, effect and output in a picture, measure each, and put both into the README
	scripts/gallery-picture
	swift run -c release --package-path Benchmarks composites --readme README.md

bench: setup $(PROGRAM)  ## measure the speed of everything, tell what became worse, and put tables and a chart into the README
	swift run -c release --package-path Benchmarks bench --program $(PROGRAM) --readme README.md --chart docs/stages.svg \
	    --json .build/bench.json $(foreach clip,$(CLIPS),--clip $(clip)) $(BENCH)

lint:  ## check the format of every Swift file
	swift format lint --strict --recursive .

docs: setup  ## build the library's documentation
	@scripts/docs

install: $(PROGRAM)  ## install to PREFIX (/usr/local), below DESTDIR if that is given
	install -D $(PROGRAM) "$(ROOT)/bin/matte"
	install -d "$(ROOT)/share/matte/models"
	install -m 644 $(MODELS) "$(ROOT)/share/matte/models"
	install -d "$(ROOT)/share/man/man1"
	umask 022; sed 's|/usr/local/share/doc|$(PREFIX)/share/doc|' docs/matte.1 >"$(ROOT)/share/man/man1/matte.1"
	install -d "$(ROOT)/share/bash-completion/completions" "$(ROOT)/share/zsh/site-functions" \
	    "$(ROOT)/share/fish/vendor_completions.d"
	umask 022; $(PROGRAM) --generate-completion-script bash >"$(ROOT)/share/bash-completion/completions/matte"
	umask 022; $(PROGRAM) --generate-completion-script zsh >"$(ROOT)/share/zsh/site-functions/_matte"
	umask 022; $(PROGRAM) --generate-completion-script fish >"$(ROOT)/share/fish/vendor_completions.d/matte.fish"
	install -D -m 644 -t "$(ROOT)/share/doc/matte" LICENSE NOTICE.md docs/faults.md
	$(if $(RUNTIME),install -D -m 644 -t "$(ROOT)/lib/matte" $(RUNTIME)/lib/*.so.* $(RUNTIME)/lib/*_plugin.so)
	$(if $(RUNTIME),umask 022; cp -rT $(RUNTIME)/share/licenses "$(ROOT)/share/doc/matte/openvino")

uninstall:  ## remove what install put below PREFIX
	rm -f "$(ROOT)/bin/matte" "$(ROOT)/share/man/man1/matte.1" "$(ROOT)/share/bash-completion/completions/matte" \
	    "$(ROOT)/share/zsh/site-functions/_matte" "$(ROOT)/share/fish/vendor_completions.d/matte.fish"
	rm -rf "$(ROOT)/lib/matte" "$(ROOT)/share/matte" "$(ROOT)/share/doc/matte"

clean:  ## remove what was built
	rm -rf .build .build-* Benchmarks/.build Fuzzing/.build demo

help:  ## list what there is to make
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 12
