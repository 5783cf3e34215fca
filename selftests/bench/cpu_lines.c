// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin of QEMU that shows what several CPUs of a VM cost each other: instructions and
 * LOCKed instructions of the guest's kernel, and cache lines that move between CPUs.
 * A line moves when a CPU reads or writes it while another CPU has it; a read leaves it
 * with both, a write takes it.  CPUs 2p and 2p + 1 belong to pair p of processes: a line is
 * shared by pairs if one writes it after another has written it.  Started by
 * selftests/vm/run --plugin; cpu_steady.c marks what is counted.  Level: test.
 *
 * Options: dir=DIR.  The guest leaves its /proc/kallsyms in DIR; the counts of measurement
 * N are written to DIR/counts.N for cpus_report:
 *
 *	block ADDRESS INSTRUCTIONS RUNS
 *	site ADDRESS LOCKED-RUNS MOVES MOVES-OF-THE-MODULE
 *	line ADDRESS MOVES OF-THE-MODULE CHANGES-OF-PAIR [SITE:MOVES]...
 *
 * The interrupts of the scheduler's clock, and what they leave to softirqs, are not counted:
 * the VM is much slower than the clock, so they would come many times for each message.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------- what is used of QEMU's interface, version 1 */

#define EXPORT	__attribute__((visibility("default")))

enum { NO_REGISTERS, READS_AND_WRITES = 3 };

struct qemu_plugin_tb;
struct qemu_plugin_insn;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
	void (*translated)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
	void (*executed)(unsigned int cpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
	void (*executed)(unsigned int cpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
	void (*accessed)(unsigned int cpu, uint32_t info, uint64_t address, void *data),
	int flags, int which, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(uint32_t info);

EXPORT int qemu_plugin_version = 1;

/* ------------------------------------------------------------------------- counts */

#define CPUS_MAX	8
#define KERNEL		0xffff800000000000ull
#define LINE_SHIFT	6
#define LINES_SHIFT	20
#define MOVERS		8

/* Code that is translated as one, and how often it ran. */
struct block {
	struct block *next;
	uint64_t address, runs;
	unsigned int insns;
};

/* An instruction that accesses memory. */
struct site {
	struct site *next;
	uint64_t address, locked, moves, module_moves;
};

/* A cache line, the CPUs that have it, and the first sites that moved it. */
struct line {
	uint64_t address;
	uint32_t moves, pair_changes;
	uint8_t holders, pair;
	bool is_module;
	struct {
		struct site *site;
		uint32_t moves;
	} movers[MOVERS];
};

/* A function that is not counted, and the one that it returns to, of those there are. */
static struct {
	const char *name, *caller;
	uint64_t start, caller_start, caller_end;
} ignored[] = {
	{ .name = "__sysvec_apic_timer_interrupt", .caller = "sysvec_apic_timer_interrupt" },
	{ .name = "run_rebalance_domains", .caller = "handle_softirqs" },
	{ .name = "sched_balance_softirq", .caller = "handle_softirqs" },
	{ .name = "rcu_core_si", .caller = "handle_softirqs" },
	/* Kernels without handle_softirqs(). */
	{ .name = "run_rebalance_domains", .caller = "__do_softirq" },
	{ .name = "rcu_core_si", .caller = "__do_softirq" },
};

#define NR_IGNORED	(sizeof(ignored) / sizeof(*ignored))

static struct block *blocks;
static struct site *sites;
static struct line *lines;
static uint64_t module_start, module_end, lines_lost;
static const char *dir = ".";
static bool is_on;
static unsigned int measurements;
/* Processes that have begun to measure and have not ended. */
static unsigned int measured;
/* For each CPU: one more than the number of the function in which it is ignored. */
static unsigned int ignoring[CPUS_MAX];

static void add(uint64_t *count, uint64_t n)
{
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

static void add32(uint32_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory) {
		fprintf(stderr, "cpu_lines: no memory\n");
		exit(1);
	}
	return memory;
}

static bool counts(unsigned int cpu)
{
	return __atomic_load_n(&is_on, __ATOMIC_RELAXED) && cpu < CPUS_MAX && !ignoring[cpu];
}

/* The line of an address; NULL if there are too many. */
static struct line *line_of(uint64_t address)
{
	uint64_t key = address >> LINE_SHIFT << LINE_SHIFT, old;
	uint64_t i = (key >> LINE_SHIFT) * 0x9e3779b97f4a7c15ull >> (64 - LINES_SHIFT);
	unsigned int probes;

	for (probes = 0; probes < 1024; probes++) {
		struct line *line = &lines[(i + probes) & ((1u << LINES_SHIFT) - 1)];

		old = __atomic_load_n(&line->address, __ATOMIC_RELAXED);
		if (old == key)
			return line;
		if (!old && (__atomic_compare_exchange_n(&line->address, &old, key, false,
				__ATOMIC_RELAXED, __ATOMIC_RELAXED) || old == key))
			return line;
	}
	add(&lines_lost, 1);
	return NULL;
}

static void line_moves(struct line *line, struct site *site)
{
	unsigned int i;

	add32(&line->moves);
	add(&site->moves, 1);
	if (line->is_module)
		add(&site->module_moves, 1);
	for (i = 0; i < MOVERS; i++) {
		if (!line->movers[i].site)
			line->movers[i].site = site;
		if (line->movers[i].site == site) {
			add32(&line->movers[i].moves);
			return;
		}
	}
}

static void line_write(struct line *line, struct site *site, unsigned int cpu)
{
	uint8_t bit = 1 << cpu, pair = cpu / 2 + 1, old;

	old = __atomic_exchange_n(&line->holders, bit, __ATOMIC_RELAXED);
	if (old & ~bit)
		line_moves(line, site);
	old = __atomic_exchange_n(&line->pair, pair, __ATOMIC_RELAXED);
	if (old && old != pair)
		add32(&line->pair_changes);
}

static void line_read(struct line *line, struct site *site, unsigned int cpu)
{
	uint8_t bit = 1 << cpu;

	if (__atomic_load_n(&line->holders, __ATOMIC_RELAXED) & bit)
		return;
	if (__atomic_fetch_or(&line->holders, bit, __ATOMIC_RELAXED))
		line_moves(line, site);
}

/* ------------------------------------------------------------- begin and end */

/* The first symbol behind @start. */
static uint64_t symbol_end(FILE *f, uint64_t start)
{
	uint64_t end = UINT64_MAX, address;
	char text[512];

	rewind(f);
	while (fgets(text, sizeof(text), f))
		if (sscanf(text, "%lx", &address) == 1 && address > start && address < end)
			end = address;
	return end;
}

static void symbol_note(uint64_t address, const char *name, const char *module)
{
	unsigned int i;

	if (!strcmp(module, "[uet]")) {
		if (!module_start || address < module_start)
			module_start = address;
		if (address > module_end)
			module_end = address;
		return;
	}
	for (i = 0; i < NR_IGNORED; i++) {
		if (!strcmp(name, ignored[i].name))
			ignored[i].start = address;
		if (!strcmp(name, ignored[i].caller))
			ignored[i].caller_start = address;
	}
}

static FILE *file_open(const char *name, const char *mode)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, mode);
	if (!f) {
		fprintf(stderr, "cpu_lines: cannot open %s\n", path);
		exit(1);
	}
	return f;
}

static void symbols_read(void)
{
	char text[512], name[256], module[64], type;
	FILE *f = file_open("kallsyms", "r");
	uint64_t address;
	unsigned int i;
	int n;

	module_start = module_end = 0;
	while (fgets(text, sizeof(text), f)) {
		module[0] = 0;
		n = sscanf(text, "%lx %c %255s %63s", &address, &type, name, module);
		if (n >= 3 && (type == 't' || type == 'T'))
			symbol_note(address, name, module);
	}
	for (i = 0; i < NR_IGNORED; i++)
		ignored[i].caller_end = symbol_end(f, ignored[i].caller_start);
	module_end = symbol_end(f, module_end);
	fclose(f);
}

static void counts_write(void)
{
	const struct block *block;
	const struct site *site;
	char name[32];
	unsigned int i, m;
	FILE *f;

	snprintf(name, sizeof(name), "counts.%u", measurements++);
	f = file_open(name, "w");
	for (block = blocks; block; block = block->next)
		if (block->runs)
			fprintf(f, "block %lx %u %lu\n", block->address, block->insns,
				block->runs);
	for (site = sites; site; site = site->next)
		if (site->locked || site->moves)
			fprintf(f, "site %lx %lu %lu %lu\n", site->address, site->locked,
				site->moves, site->module_moves);
	for (i = 0; i < 1u << LINES_SHIFT; i++) {
		const struct line *line = &lines[i];

		if (!line->moves && !line->pair_changes)
			continue;
		fprintf(f, "line %lx %u %d %u", line->address, line->moves, line->is_module,
			line->pair_changes);
		for (m = 0; m < MOVERS && line->movers[m].site; m++)
			fprintf(f, " %lx:%u", line->movers[m].site->address,
				line->movers[m].moves);
		fprintf(f, "\n");
	}
	if (lines_lost)
		fprintf(f, "lost %lu\n", lines_lost);
	fclose(f);
}

static void counts_clear(void)
{
	struct block *block;
	struct site *site;

	for (block = blocks; block; block = block->next)
		block->runs = 0;
	for (site = sites; site; site = site->next)
		site->locked = site->moves = site->module_moves = 0;
	memset(lines, 0, sizeof(*lines) << LINES_SHIFT);
	lines_lost = 0;
}

/* Each process of a measurement begins it anew, before any of them goes on. */
static void begin(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	__atomic_store_n(&is_on, false, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&measured, 1, __ATOMIC_SEQ_CST);
	symbols_read();
	counts_clear();
	__atomic_store_n(&is_on, true, __ATOMIC_SEQ_CST);
}

/* The last process that ends ends the measurement. */
static void end(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (__atomic_fetch_sub(&measured, 1, __ATOMIC_SEQ_CST) != 1)
		return;
	__atomic_store_n(&is_on, false, __ATOMIC_SEQ_CST);
	counts_write();
}

/* ------------------------------------------------------------------ the guest runs */

/* Does the CPU enter or leave a function that is not counted? */
static void ignore(unsigned int cpu, uint64_t address)
{
	unsigned int i = ignoring[cpu];

	if (i) {
		i--;
		if (address >= ignored[i].caller_start && address < ignored[i].caller_end)
			ignoring[cpu] = 0;
		return;
	}
	for (i = 0; i < NR_IGNORED; i++)
		if (address == ignored[i].start && ignored[i].caller_start) {
			ignoring[cpu] = i + 1;
			return;
		}
}

static void block_runs(unsigned int cpu, void *data)
{
	struct block *block = data;

	if (!__atomic_load_n(&is_on, __ATOMIC_RELAXED) || cpu >= CPUS_MAX)
		return;
	ignore(cpu, block->address);
	if (!ignoring[cpu])
		add(&block->runs, 1);
}

static void site_runs(unsigned int cpu, void *data)
{
	struct site *site = data;

	if (counts(cpu))
		add(&site->locked, 1);
}

static void site_accesses(unsigned int cpu, uint32_t info, uint64_t address, void *data)
{
	struct site *site = data;
	struct line *line;

	if (address < KERNEL || !counts(cpu))
		return;
	line = line_of(address);
	if (!line)
		return;
	if (site->address >= module_start && site->address < module_end)
		line->is_module = true;
	if (qemu_plugin_mem_is_store(info))
		line_write(line, site, cpu);
	else
		line_read(line, site, cpu);
}

/* Is it an instruction with a LOCK, or one that has it always: XCHG with memory? */
static bool is_locked(const uint8_t *code, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size; i++) {
		bool is_prefix = code[i] == 0x65 || code[i] == 0x66 || code[i] == 0x3e ||
				 (code[i] & 0xf0) == 0x40;

		if (code[i] == 0xf0)
			return true;
		if (!is_prefix)
			return (code[i] & 0xfe) == 0x86 && (code[i + 1] & 0xc0) != 0xc0;
	}
	return false;
}

static void insn_translate(struct qemu_plugin_insn *insn)
{
	struct site *site = allocate(1, sizeof(*site));

	site->address = qemu_plugin_insn_vaddr(insn);
	do {
		site->next = __atomic_load_n(&sites, __ATOMIC_RELAXED);
	} while (!__sync_bool_compare_and_swap(&sites, site->next, site));
	if (is_locked(qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, site_runs, NO_REGISTERS, site);
	qemu_plugin_register_vcpu_mem_cb(insn, site_accesses, NO_REGISTERS, READS_AND_WRITES,
					 site);
}

/* The marks of cpu_steady.c */
static void user_translate(struct qemu_plugin_insn *insn)
{
	static const uint8_t begins[] = { 0x48, 0x87, 0xd2 }, ends[] = { 0x48, 0x87, 0xc9 };
	const void *code = qemu_plugin_insn_data(insn);

	if (qemu_plugin_insn_size(insn) != sizeof(begins))
		return;
	if (!memcmp(code, begins, sizeof(begins)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, NO_REGISTERS, NULL);
	if (!memcmp(code, ends, sizeof(ends)))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, end, NO_REGISTERS, NULL);
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb), i;
	struct block *block;

	(void)id;
	if (qemu_plugin_tb_vaddr(tb) < KERNEL) {
		for (i = 0; i < n; i++)
			user_translate(qemu_plugin_tb_get_insn(tb, i));
		return;
	}
	block = allocate(1, sizeof(*block));
	block->address = qemu_plugin_tb_vaddr(tb);
	block->insns = n;
	do {
		block->next = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
	} while (!__sync_bool_compare_and_swap(&blocks, block->next, block));
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_runs, NO_REGISTERS, block);
	for (i = 0; i < n; i++)
		insn_translate(qemu_plugin_tb_get_insn(tb, i));
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (strncmp(argv[i], "dir=", 4)) {
			fprintf(stderr, "cpu_lines: no option %s\n", argv[i]);
			return -1;
		}
		dir = argv[i] + 4;
	}
	lines = allocate(1u << LINES_SHIFT, sizeof(*lines));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
