# Everything runs through Go: a clone needs Go and make, and `make test` a
# Postgres server, which it installs by itself as root on Debian.

GO ?= go
# Some tests run the go command on what others wrote, which the cache of test
# results does not see.
TEST = $(GO) test -count=1 -timeout 20m
TOOLS = $(GO) tool -modfile=.ci/tools/go.mod

.PHONY: help demo test test-race chaos fuzz generate lint verify model bench

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' Makefile

demo: generate ## generate the quickstart and run it on embedded SQLite
	$(GO) run ./examples/quickstart
	@echo
	@echo "What the audit finds without the wrapper: $(GO) run ./examples/quickstart -unsafe"

test: ## run the tests, on Postgres and SQLite
	@.ci/postgres
	@.ci/pgbouncer || true
	$(TEST) ./...

# Who meets whom is seen in short tests, too; make test has the long ones.
test-race: ## run the tests under the race detector, the long ones cut short
	@.ci/postgres
	$(TEST) -race -short ./...

# IDEMGEN_CHAOS_SEED=n plays the scenarios of a run that has told its seed.
chaos: ## run the whole chaos suite, of which make test runs a share
	@.ci/postgres
	@.ci/pgbouncer
	IDEMGEN_CHAOS=all $(GO) test -count=1 -v -timeout 2h -parallel 4 -run '^(TestChaos|TestFaults)$$' ./runtime/internal/chaos

FUZZTIME ?= 30s
# Minimizing an input that is merely new can take all of the time.
FUZZ = $(GO) test -run '^$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 10x

fuzz: ## run each fuzz test for FUZZTIME (30s)
	$(FUZZ) -fuzz '^FuzzDirectives$$' ./generator/internal/spec
	$(FUZZ) -fuzz '^FuzzTemplate$$' ./generator/internal/spec
	$(FUZZ) -fuzz '^FuzzConfig$$' ./generator/internal/load
	$(FUZZ) -fuzz '^FuzzKeyIsInjective$$' ./runtime
	$(FUZZ) -fuzz '^FuzzJSONFingerprint$$' ./runtime

generate: ## write the generated files of the examples and of the tests of upserts
	$(GO) run ./cmd/idemgen generate -C examples/quickstart
	$(GO) run ./cmd/idemgen generate -C runtime/upsert/internal/shop

lint: ## run the linters, depguard's layout rules among them
	$(TOOLS) golangci-lint run ./...

verify: ## check what is committed: formatting, go.mod, vet, generated files
	.ci/verify

model: ## check the model of the protocol with Spin, which root on Debian gets by itself
	@.ci/spin
	docs/model/check

# IDEMGEN_BENCH_RUNS=100000 fills the table of runs with fewer than a million.
bench: ## compare the wrapper with the same two statements by hand, and the commands with packages.Load
	@.ci/postgres
	$(GO) test -run '^$$' -bench . -benchmem ./runtime/...
	$(GO) test -run '^$$' -bench . -benchtime 5x -timeout 1h ./generator
