// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of PDCs.  A PDC is an object of 2 KiB, and while it is in use a window of 30 KiB
 * for packets in flight.  A sweep each second takes the windows of idle PDCs back.  A window
 * comes back with the next message, packet or deadline.  If there is no memory for it, a
 * packet is lost, and what is to be sent waits.
 *
 * The pools (pool.c) count a PDC as if it always had its window.
 */
#include <linux/rcupdate_wait.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "fabric/fabric.h"
#include "pdc_entry.h"

/*
 * Ends and frees PDCs and RUDI requests; a separate queue, so that their FEP and the module
 * can wait for it.
 */
struct workqueue_struct *uet_pdc_wq;

/* A PDC that is idle for so long gives its window back, with the next sweep. */
#define MEMORY_IDLE_NS		NSEC_PER_SEC

/* Time between sweeps. */
#define MEMORY_SWEEP		HZ

static struct kmem_cache *memory_cache;

/*
 * Create the cache of PDCs.
 * Context: Process, module load.
 * Return: 0 or -ENOMEM.
 */
int uet_pdc_memory_init(void)
{
	size_t size = sizeof(struct uet_pdc_entry) + uet_pdc_size();

	BUILD_BUG_ON(sizeof(struct uet_pdc_entry) % __alignof__(u64));
	memory_cache = kmem_cache_create("uet_pdc", size, __alignof__(u64), 0,
					 NULL);
	return memory_cache ? 0 : -ENOMEM;
}

/*
 * Destroy the cache of PDCs.
 * Context: Process, module unload; no PDC exists.
 */
void uet_pdc_memory_fini(void)
{
	kmem_cache_destroy(memory_cache);
}

static size_t memory_window_size(const struct uet_pdc_cfg *cfg)
{
	return sizeof(struct uet_pdc_window) + uet_pdc_window_size(cfg);
}

/*
 * Memory of a PDC with its window.
 * Return: units of UET_PDC_MEM_UNIT, rounded up.
 */
u32 uet_pdc_memory_units(const struct uet_pdc_cfg *cfg)
{
	return DIV_ROUND_UP(UET_PDC_IDLE_MEM + memory_window_size(cfg),
			    UET_PDC_MEM_UNIT);
}

/*
 * With congestion control the default window takes 9 pages, for which kmalloc() would take
 * 16.  Atomic context has no vmalloc().
 */
static struct uet_pdc_window *memory_get_window(const struct uet_pdc_entry *pe,
						gfp_t gfp)
{
	size_t size = memory_window_size(&pe->settings->pdc);
	struct uet_pdc_window *window;

	gfp |= __GFP_NOWARN;
	if (!gfpflags_allow_blocking(gfp))
		return alloc_pages_exact(size, gfp);
	window = alloc_pages_exact(size, gfp | __GFP_NORETRY);
	return window ? window : __vmalloc(size, gfp);
}

static void memory_put_window(const struct uet_pdc_entry *pe,
			      struct uet_pdc_window *window)
{
	if (!window)
		return;
	if (is_vmalloc_addr(window))
		kvfree(window);
	else
		free_pages_exact(window, memory_window_size(&pe->settings->pdc));
}

/*
 * Allocate a PDC.
 * @settings: its parameters; the reference passes to the PDC, or is dropped
 *
 * Context: Any; sleeps if @gfp allows.
 * Return: a zeroed PDC with a window that the core does not have yet, or NULL.
 */
struct uet_pdc_entry *uet_pdc_memory_alloc(struct uet_fep_settings *settings,
					   gfp_t gfp)
{
	struct uet_pdc_entry *pe;

	pe = kmem_cache_zalloc(memory_cache, gfp | __GFP_NOWARN);
	if (!pe) {
		uet_fep_settings_put(settings);
		return NULL;
	}
	pe->settings = settings;
	pe->pdc = (struct uet_pdc *)(pe + 1);
	pe->window = memory_get_window(pe, gfp);
	if (pe->window)
		return pe;
	uet_pdc_memory_free(pe);
	return NULL;
}

/*
 * Free a PDC.
 * Context: Any but hard interrupt.
 */
void uet_pdc_memory_free(struct uet_pdc_entry *pe)
{
	memory_put_window(pe, pe->window);
	uet_fep_settings_put(pe->settings);
	kmem_cache_free(memory_cache, pe);
}

static void memory_sweep_later(struct uet_pdc_table *tab)
{
	queue_delayed_work(uet_pdc_wq, &tab->sweep, MEMORY_SWEEP);
}

static void memory_lend(struct uet_pdc_entry *pe, struct uet_pdc_window *window)
	__must_hold(&pe->lock)
{
	window->run.len = 0;
	uet_pdc_window_lend(pe->pdc, window->core);
	/* Pairs with the READ_ONCE()s of this file. */
	WRITE_ONCE(pe->window, window);
	memory_sweep_later(pe->fep->pdcs);
}

static void memory_wake(struct uet_pdc_entry *pe, struct uet_pdc_window *window)
	__must_hold(&pe->lock)
{
	memory_lend(pe, window);
	uet_mib_inc(pe->fep->un, UET_MIB_PDC_WOKEN);
}

/*
 * Give a new PDC the window that was allocated with it.
 * Context: Lock held.
 */
void uet_pdc_memory_start(struct uet_pdc_entry *pe)
{
	lockdep_assert_held(&pe->lock);
	memory_lend(pe, pe->window);
}

/*
 * Give a PDC that is about to be used its window.
 *
 * The memory is charged to the caller, as that of a new PDC.
 *
 * Context: Process, or softirq if @gfp permits; no PDC lock held.
 * Return: 0 or -ENOMEM.
 */
int uet_pdc_entry_wake(struct uet_pdc_entry *pe, gfp_t gfp)
{
	struct uet_pdc_window *window;

	/* Pairs with the WRITE_ONCE()s of this file. */
	if (likely(READ_ONCE(pe->window)))
		return 0;
	window = memory_get_window(pe, gfp);
	if (!window)
		return -ENOMEM;
	uet_pdc_entry_lock(pe);
	/* Without @dead the tables, and their sweep, exist. */
	if (!pe->window && !pe->dead) {
		memory_wake(pe, window);
		window = NULL;
	}
	uet_pdc_entry_unlock(pe);
	memory_put_window(pe, window);
	return 0;
}

/**
 * uet_pdc_entry_awake() - has a PDC its window, or can it get one at once?
 * @pe: PDC
 *
 * Context: Softirq or process, lock held; @pe is not @dead.
 * Return: false: there is no memory; then the core must not be called.
 */
bool uet_pdc_entry_awake(struct uet_pdc_entry *pe)
{
	struct uet_pdc_window *window;

	lockdep_assert_held(&pe->lock);
	if (likely(pe->window))
		return true;
	window = memory_get_window(pe, GFP_ATOMIC);
	if (!window)
		return false;
	memory_wake(pe, window);
	return true;
}

/* Take the window of a PDC back if it has been idle for long. Return: it has one. */
static bool memory_sleep(struct uet_pdc_entry *pe)
	__must_hold(&pe->lock)
{
	struct uet_pdc_window *window = pe->window;
	u64 since;

	if (!window)
		return false;
	since = uet_pdc_window_idle_since(pe->pdc);
	if (since == UET_NEVER || since + MEMORY_IDLE_NS > uet_now_ns())
		return true;
	uet_pdc_window_reclaim(pe->pdc);
	WRITE_ONCE(pe->window, NULL);
	memory_put_window(pe, window);
	uet_mib_inc(pe->fep->un, UET_MIB_PDC_SLEPT);
	return false;
}

/*
 * Take the windows of idle PDCs back.
 * Context: Work queue; lets others run after each PDC.
 */
void uet_pdc_memory_sweep(struct work_struct *work)
{
	struct uet_pdc_table *tab = container_of(to_delayed_work(work),
						 struct uet_pdc_table, sweep);
	struct uet_pdc_entry *pe;
	bool are_left = false;
	unsigned long id;

	rcu_read_lock();
	xa_for_each(&tab->ids, id, pe) {
		if (READ_ONCE(pe->window)) {
			uet_pdc_entry_lock(pe);
			are_left |= memory_sleep(pe);
			uet_pdc_entry_unlock(pe);
		}
		cond_resched_rcu();
	}
	rcu_read_unlock();
	if (are_left)
		memory_sweep_later(tab);
}
