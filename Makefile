# `make up` tries it, `make test` proves it.

PROFILE ?= dev
CARGO ?= cargo
BUF = $(firstword $(wildcard .ci/tools/node_modules/@bufbuild/buf-linux-x64/bin/buf) .ci/tools/node_modules/.bin/buf)
BINARY = target/$(subst dev,debug,$(PROFILE))/causeway
CLUSTER = target/debug/causeway-cluster
WEB = clients/web/dist/manifest.txt
WEB_MODULES = clients/web/node_modules/.package-lock.json
WEB_SOURCES = $(shell find clients/web clients/typescript/src -type f \( -path '*/node_modules/*' -o -path '*/dist/*' -o -name '*.rs' -o -name '*.md' -o -name dist.stamp \) -prune -o -type f -print)
# programs that the tests start; Argo Workflows is optional
TESTED = kubernetes argocd rollouts coredns pause dex jaeger gitea

# .ci/install puts programs here; the tests start them by name
export PATH := $(PATH):$(HOME)/.cargo/bin:$(or $(shell go env GOPATH 2>/dev/null),$(HOME)/go)/bin
# runs each test binary by a script that records its duration
TIMED = --config 'target."cfg(all())".runner="$(CURDIR)/.ci/timed"'
# number of simulations in make soak
SEEDS ?= 10000
# seconds of each fuzz target
FUZZ_SECONDS ?= 60

.PHONY: help up build web web-test cluster cluster-up previous test test-all soak slowest lint unit contract e2e real bench fleet fuzz tools clean base stubs install

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

up: build ## Build causeway and start it on the sandbox, with its data in ./data; ARGS=--real: on a real Kubernetes and Argo CD
ifneq (,$(filter --real,$(ARGS)))
	$(CARGO) build --workspace --profile $(PROFILE) --bin causeway-cluster --locked
	target/$(subst dev,debug,$(PROFILE))/causeway-cluster up simulated --build -- $(BINARY) up --data data $(filter-out --real,$(ARGS))
else
	$(BINARY) up --data data $(ARGS)
endif

build: ## Build the one binary, with the web UI where npm is
	@$(MAKE) --no-print-directory web || echo "the web UI is not built; going on without it"
	$(CARGO) build --workspace --profile $(PROFILE) --bin causeway --locked

web: ## Build the web UI, where npm is; a release build needs it
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(WEB); else echo "npm is missing: the web UI is not built; on Debian, apt-get install npm"; fi

$(WEB_MODULES): clients/web/package-lock.json
	cd clients/web && npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --silent
	@touch $@

$(WEB): $(WEB_MODULES) $(WEB_SOURCES)
	cd clients/web && npm run build --silent

web-test: web ## Test the web UI: types, unit tests, and all pages in Chromium on a running Causeway
	cd clients/web && npm run --silent check && npm test --silent
	$(CARGO) build --workspace --bin causeway --locked
	@if command -v chromium >/dev/null; then cd clients/web && npm run --silent browser-test; \
	else echo "chromium is missing: the web UI is not tested in a browser; on Debian, apt-get install chromium"; [ -z "$(CI)" ]; fi

cluster: ## Build Kubernetes, Argo CD and Gitea from source with Go, once: about 25 minutes, 14 GiB
	$(CARGO) build --workspace --profile $(PROFILE) --bin causeway-cluster --locked
	target/$(subst dev,debug,$(PROFILE))/causeway-cluster build $(ARGS)

test: tools web lint contract unit e2e web-test real slowest ## Run all checks and tests

test-all: test install soak ## make test, make install, make soak and the Argo Workflows tests
	$(CLUSTER) build workflows
	$(CARGO) test --package causeway-real --package causeway --lib --locked -- --include-ignored workflow

soak: fuzz ## Run make fuzz, SEEDS=10000 simulations, PostgreSQL crashes under load, kills at every point of every mutation and of webhooks, pod kills, the image build
	CAUSEWAY_SEEDS=$(SEEDS) $(CARGO) test --package causeway-sim --package causeway --lib --locked -- outages_heal
	$(CARGO) build --workspace --bin causeway --locked
	CAUSEWAY_SOAK=1 $(CARGO) test --package causeway-e2e --package causeway --lib --locked -- --nocapture r_07_a_database r_53_a
	$(CARGO) test --package causeway-event-source --package causeway --lib --locked -- --include-ignored r_28
	CAUSEWAY_SOAK=1 $(CARGO) test --package causeway-git --lib --locked -- --nocapture processes:: cut::
	CAUSEWAY_SOAK=1 $(CARGO) test --package causeway-install --package causeway --lib --locked -- --nocapture the_charts
	$(CARGO) test --package causeway-compose --package causeway --lib --locked -- --nocapture --include-ignored the_dockerfile

tools:
	.ci/install
	@rm -f target/slowest target/skipped

slowest:
	@if [ -s target/skipped ]; then echo "tests skipped for what this machine lacks:"; sort -u target/skipped; rm target/skipped; fi
	@if [ -s target/slowest ]; then echo "the slowest tests, in seconds:"; sort -rn target/slowest | head -10; rm target/slowest; fi

lint: ## Format, lints, licences, advisories
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) deny --log-level error check --config .deny.toml --hide-inclusion-graph bans licenses sources
	.ci/advisories/check

contract: ## Lint the contract and check it for breaking changes
	@if [ -x "$(BUF)" ]; then \
	  $(BUF) lint && $(BUF) breaking --against proto/base.binpb && $(BUF) format --diff --exit-code proto; \
	else echo "buf is missing: the contract is not linted"; [ -z "$(CI)" ]; fi

unit: ## Run unit, integration, simulation and repository tests
	$(CARGO) test $(TIMED) --workspace --exclude causeway-e2e --exclude causeway-compose --exclude causeway-bench --exclude causeway-install --exclude causeway-real --locked --no-fail-fast -- --skip real::

e2e: ## Run the binary as users do, on the sandbox and in containers
	$(CARGO) build --workspace --bin causeway --bin causeway-cluster --locked
	@if [ -n "$(CI)" ]; then $(CLUSTER) build jaeger; fi
	$(CARGO) test $(TIMED) --package causeway-e2e --package causeway-compose --package causeway --lib --locked -- --test-threads 2 --skip real::

previous: ## Test version skew: the release in .ci/previous against this one, both ways
	@commit=$$(grep -v '^#' .ci/previous) && test -n "$$commit" && rm -rf target/previous/source && mkdir -p target/previous/source && \
	git archive "$$commit" | tar -x -C target/previous/source && \
	cd target/previous/source && $(CARGO) build --target-dir .. --bin causeway --locked
	$(CARGO) build --workspace --bin causeway --locked
	CAUSEWAY_PREVIOUS=$(CURDIR)/target/previous/debug/causeway $(CARGO) test --package causeway-e2e --package causeway --lib --locked -- --include-ignored previous::

cluster-up: ## Start a real cluster until Ctrl-C: KIND=minimal, simulated, node or provider
	$(CARGO) build --workspace --profile $(PROFILE) --bin causeway-cluster --locked
	target/$(subst dev,debug,$(PROFILE))/causeway-cluster up $(or $(KIND),simulated)

real: ## Run Causeway and the sandbox conformance tests on a real Kubernetes and Argo CD (needs make cluster)
	$(CARGO) build --workspace --bins --exclude causeway-bench --locked
	@if [ -n "$(CI)" ]; then $(CLUSTER) build $(TESTED); fi
	@if $(CLUSTER) find $(TESTED); then \
	  $(CARGO) test $(TIMED) --package causeway-real --package causeway --lib --locked -- --test-threads 2 && \
	  $(CARGO) test $(TIMED) --package causeway-e2e --package causeway --lib --locked real:: -- --test-threads 2 && \
	  $(CARGO) test $(TIMED) --package causeway-conformance --package causeway --lib --locked real:: -- --test-threads 4 && \
	  $(CARGO) test $(TIMED) --workspace --test providers --locked real:: -- --test-threads 2; \
	else echo "SKIPPED: all tests on a real Kubernetes and Argo CD; build them with: make cluster"; [ -z "$(CI)" ]; fi

fuzz: ## Fuzz each reader of foreign bytes for FUZZ_SECONDS=60; without a nightly toolchain, by random inputs
	@if cargo +nightly --version >/dev/null 2>&1; then \
	  { command -v cargo-fuzz >/dev/null || $(CARGO) install cargo-fuzz --locked --quiet; } && \
	  cp Cargo.lock tests/fuzz/targets/ && cd tests/fuzz/targets && for target in fuzz_targets/*.rs; do \
	    name=$$(basename $$target .rs) && mkdir -p corpus/$$name && \
	    cargo +nightly fuzz run --fuzz-dir . $$name corpus/$$name ../corpus/$$name -- -max_total_time=$(FUZZ_SECONDS) -max_len=65536 -timeout=10 || exit 1; \
	  done; \
	else PROPTEST_CASES=20000 $(CARGO) test --package causeway-fuzz --package causeway --lib --locked -- panic; fi

install: ## Install, use, kill, upgrade and uninstall the charts on a real node; about five minutes
	$(CARGO) build --workspace --bins --exclude causeway-bench --locked
	$(CLUSTER) build $(TESTED)
	$(CARGO) test $(TIMED) --package causeway-install --package causeway --lib --locked -- --nocapture

bench: ## Run the benchmarks beside the direct path; about 36 minutes after the build
	CAUSEWAY_WITHOUT_WEB=1 $(CARGO) build --release --workspace --bins --locked
	target/release/causeway-bench all

fleet: ## Load-test one platform with many runtimes: RUNTIMES=40 APPS=50000 RATE=200 SECONDS=60 DATABASE=sqlite
	CAUSEWAY_WITHOUT_WEB=1 $(CARGO) build --release --package causeway-bench --locked
	target/release/causeway-bench fleet --runtimes $(or $(RUNTIMES),40) --applications $(or $(APPS),50000) --rate $(or $(RATE),200) --seconds $(or $(SECONDS),60) --database $(or $(DATABASE),sqlite) $(ARGS)

stubs: tools ## Generate the Go, Python and TypeScript clients from the contract
	rm -rf clients/go/causeway clients/typescript/src/gen
	find clients/python/src/causeway -name '*_pb2*' -delete
	PATH="$(CURDIR)/.ci/tools/bin:$$PATH" $(BUF) generate --template clients/buf.gen.yaml
	$(BUF) generate --template clients/typescript/buf.gen.yaml

base: ## Set the contract of the release in .ci/previous as the base for breaking-change checks
	@commit=$$(grep -v '^#' .ci/previous) && rm -rf target/base && mkdir -p target/base && \
	git archive "$$commit" buf.yaml proto | tar -x -C target/base && \
	cd target/base && $(CURDIR)/$(BUF) build --output $(CURDIR)/proto/base.binpb

clean: ## Remove build output; keeps ./data
	$(CARGO) clean
