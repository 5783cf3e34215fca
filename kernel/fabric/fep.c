// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a FEP: checked as a whole, then made; killed with everything that
 * lives on it; and in between the choice of a rail for each packet, which
 * follows the rails that can carry it.  Level: shell.
 */
#include <linux/bitops.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/route.h>

#include "carrier/carrier.h"
#include "base/compat.h"
#include "fep.h"
#include "job.h"
#include "cms/ccc_entry.h"
#include "pdc/pdc_entry.h"
#include "pdc/rudi_entry.h"
#include "net.h"
#include "netlink/nl.h"
#include "rail.h"
#include "tss/sd.h"
#include "carrier/trim.h"

/*
 * Bytes around the payload of the largest packet sent: UDP or 4 bytes less, a
 * request without CC state, the standard SES header.
 */
#define FEP_HEADERS		(sizeof(struct udphdr) + UET_REQ_LEN + \
				 UET_SES_STD_LEN)
#define FEP_NATIVE_LESS		(sizeof(struct udphdr) - UET_ENTROPY_LEN)
#define FEP_HEADERS_V4		(FEP_HEADERS + sizeof(struct iphdr))
#define FEP_HEADERS_V6		(FEP_HEADERS + sizeof(struct ipv6hdr))

static u32 fep_min_mtu(const struct uet_fep_cfg *cfg,
		       const struct uet_fep_settings *settings)
{
	u32 need = cfg->mtu;

	if (uet_ccc_entry_is_paced(settings))
		need += UET_REQ_CC_LEN - UET_REQ_LEN;
	need += cfg->fa.family == AF_INET ? FEP_HEADERS_V4 : FEP_HEADERS_V6;
	if (cfg->encap == UET_ENCAP_NATIVE)
		need -= FEP_NATIVE_LESS;
	return need + uet_sd_protect_len(cfg);
}

/* Before 6.2 an error text is a constant, so each legal MTU has its own. */
#define FEP_MTU_TEXT(mtu)						\
	"fep: mtu " #mtu " does not fit a rail: headers add 84 (IPv4) or 104 bytes, native 4 less, crc 4 more, cc with rccc 4 more, an sd 28 or 32 more"

static void fep_refuse_mtu(u16 mtu, struct netlink_ext_ack *extack)
{
	static_assert(FEP_HEADERS_V4 == 84 && FEP_HEADERS_V6 == 104 &&
		      FEP_NATIVE_LESS == 4 && UET_CRC_LEN == 4);

	switch (mtu) {
	case 1024:
		NL_SET_ERR_MSG(extack, FEP_MTU_TEXT(1024));
		break;
	case 2048:
		NL_SET_ERR_MSG(extack, FEP_MTU_TEXT(2048));
		break;
	case 4096:
		NL_SET_ERR_MSG(extack, FEP_MTU_TEXT(4096));
		break;
	default:
		NL_SET_ERR_MSG(extack, FEP_MTU_TEXT(8192));
	}
}

/**
 * uet_fep_find() - look up a FEP by name
 * @un: namespace
 * @name: its name
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 * Return: the FEP, without a reference, or NULL.
 */
struct uet_fep *uet_fep_find(struct uet_net *un, const char *name)
{
	struct uet_fep *fep;

	list_for_each_entry_rcu(fep, &un->feps, list,
				lockdep_is_held(&un->cfg_mutex)) {
		if (!strcmp(fep->cfg.name, name))
			return fep;
	}
	return NULL;
}

/**
 * uet_fep_find_fa() - look up a FEP by fabric address
 * @un: namespace
 * @fa: its fabric address
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 * Return: the FEP, without a reference, or NULL.
 */
struct uet_fep *uet_fep_find_fa(struct uet_net *un, const struct uet_fa *fa)
{
	struct uet_fep *fep;

	list_for_each_entry_rcu(fep, &un->feps, list,
				lockdep_is_held(&un->cfg_mutex)) {
		if (uet_fa_equal(&fep->cfg.fa, fa))
			return fep;
	}
	return NULL;
}

static int fep_rail_slot(const struct uet_fep *fep, const struct uet_rail *rail)
{
	int i;

	for (i = 0; i < UET_FEP_RAILS_MAX; i++) {
		if (rcu_access_pointer(fep->rail[i]) == rail)
			return i;
	}
	return -1;
}

/**
 * uet_fep_find_rail() - find a FEP that has a rail
 * @un: namespace
 * @rail: the rail
 *
 * Context: uet_net.cfg_mutex held.
 * Return: the first such FEP, without a reference, or NULL.
 */
struct uet_fep *uet_fep_find_rail(struct uet_net *un,
				  const struct uet_rail *rail)
{
	struct uet_fep *fep;

	lockdep_assert_held(&un->cfg_mutex);

	list_for_each_entry(fep, &un->feps, list) {
		if (fep_rail_slot(fep, rail) >= 0)
			return fep;
	}
	return NULL;
}

/**
 * uet_fep_get() - take a reference
 * @fep: FEP the caller has a reference to, or found under cfg_mutex
 *
 * Context: Any.
 */
void uet_fep_get(struct uet_fep *fep)
{
	refcount_inc(&fep->refs);
}

/**
 * uet_fep_put() - drop a reference
 * @fep: FEP
 *
 * Context: Any.
 */
void uet_fep_put(struct uet_fep *fep)
{
	struct uet_fep_settings *settings;

	if (!refcount_dec_and_test(&fep->refs))
		return;
	settings = rcu_dereference_protected(fep->settings, true);
	kfree_rcu(settings, rcu);
	kfree_rcu(fep, rcu);
}

static bool fep_fa_is_local(struct uet_net *un, const struct uet_fa *fa)
{
	struct net_device *dev;
	bool is_local = false;

	if (fa->family == AF_INET)
		return inet_addr_type(un->net, fa->v4) == RTN_LOCAL;
	if (!IS_ENABLED(CONFIG_IPV6))
		return false;

	rcu_read_lock();
	dev = fa->scope_id ? dev_get_by_index_rcu(un->net, fa->scope_id) : NULL;
	if (dev || !fa->scope_id)
		is_local = ipv6_chk_addr(un->net, &fa->v6, dev, !!dev);
	rcu_read_unlock();
	return is_local;
}

static int fep_check_identity(struct uet_net *un, const struct uet_fep_cfg *cfg,
			      struct netlink_ext_ack *extack)
{
	if (uet_fep_find(un, cfg->name)) {
		NL_SET_ERR_MSG(extack, "fep: name is taken");
		return -EEXIST;
	}
	if (uet_fep_find_fa(un, &cfg->fa)) {
		NL_SET_ERR_MSG(extack, "fep: another fep has this addr");
		return -EEXIST;
	}
	if (!fep_fa_is_local(un, &cfg->fa)) {
		NL_SET_ERR_MSG(extack, "fep: addr is no address of this namespace, or tentative");
		return -EADDRNOTAVAIL;
	}
	return 0;
}

static int fep_check_rail(struct uet_net *un, const struct uet_fep_cfg *cfg,
			  const struct uet_fep_settings *settings, int slot,
			  struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = uet_rail_find(un, cfg->ifindex[slot]);
	struct uet_rail *other;
	int i;

	if (!rail) {
		NL_SET_ERR_MSG(extack, "fep: netdev is not a rail, see rail add");
		return -ENOENT;
	}
	if (READ_ONCE(rail->dev->mtu) < fep_min_mtu(cfg, settings)) {
		fep_refuse_mtu(cfg->mtu, extack);
		return -EINVAL;
	}
	if (cfg->fa.scope_id && cfg->fa.scope_id != rail->ifindex) {
		NL_SET_ERR_MSG(extack, "fep: a link-local addr can have the rail it is on only");
		return -EINVAL;
	}
	for (i = 0; i < slot; i++) {
		other = uet_rail_find(un, cfg->ifindex[i]);
		if (other == rail) {
			NL_SET_ERR_MSG(extack, "fep: a rail is named twice");
			return -EINVAL;
		}
		if (other->plane == rail->plane) {
			NL_SET_ERR_MSG(extack, "fep: its rails must be on different planes");
			return -EINVAL;
		}
	}
	return 0;
}

static int fep_check(struct uet_net *un, const struct uet_fep_cfg *cfg,
		     const struct uet_fep_settings *settings,
		     struct netlink_ext_ack *extack)
{
	int err = fep_check_identity(un, cfg, extack);
	bool is_v6;
	int i;

	if (err)
		return err;
	is_v6 = cfg->fa.family == AF_INET6;
	if (cfg->sd && cfg->sd->core.cfg.is_v6 != is_v6) {
		NL_SET_ERR_MSG(extack, "fep: the sd is for addresses of the other family");
		return -EINVAL;
	}
	if (!cfg->ifindex[0]) {
		NL_SET_ERR_MSG(extack, "fep: needs a rail");
		return -EINVAL;
	}
	for (i = 0; i < UET_FEP_RAILS_MAX && cfg->ifindex[i]; i++) {
		err = fep_check_rail(un, cfg, settings, i, extack);
		if (err)
			return err;
	}
	return 0;
}

static struct uet_fep *fep_alloc(struct uet_net *un,
				 const struct uet_fep_cfg *cfg,
				 const struct uet_fep_settings *settings)
{
	struct uet_fep *fep = kzalloc(sizeof(*fep), GFP_KERNEL);
	struct uet_fep_settings *copy;
	int i;

	if (!fep)
		return NULL;
	copy = kmemdup(settings, sizeof(*copy), GFP_KERNEL);
	if (!copy || uet_table_init(&fep->table)) {
		kfree(copy);
		kfree(fep);
		return NULL;
	}
	fep->un = un;
	fep->cfg = *cfg;
	fep->min_mtu = fep_min_mtu(cfg, settings);
	fep->carrier = uet_carrier_of(cfg->encap);
	RCU_INIT_POINTER(fep->settings, copy);
	refcount_set(&fep->refs, 1);
	hash_init(fep->cccs);
	spin_lock_init(&fep->ccc_lock);
	uet_fep_pacer_init(&fep->pacer);

	for (i = 0; i < UET_FEP_RAILS_MAX; i++) {
		struct uet_rail *rail = uet_rail_find(un, cfg->ifindex[i]);

		if (!rail)
			continue;
		rcu_assign_pointer(fep->rail[i], rail);
		if (uet_fep_rail_state(fep, rail) == UET_RAIL_STATE_USABLE)
			__set_bit(i, &fep->usable);
	}
	return fep;
}

/**
 * uet_fep_add() - make a FEP
 * @un: namespace
 * @cfg: what it shall be; each field within its range
 * @settings: the rest, checked
 * @extack: says why not
 *
 * Everything is checked before anything is made.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -EEXIST name or address taken; -EADDRNOTAVAIL address not local;
 *	-ENOENT no such rail; -EINVAL rails do not fit; -ENOMEM; or what opening
 *	the carrier returned, -EADDRINUSE if another socket has the port, -EBUSY
 *	if the kernel has a handler for the IP protocol.
 */
int uet_fep_add(struct uet_net *un, const struct uet_fep_cfg *cfg,
		const struct uet_fep_settings *settings,
		struct netlink_ext_ack *extack)
{
	struct uet_fep *fep;
	int err;

	lockdep_assert_held(&un->cfg_mutex);

	err = fep_check(un, cfg, settings, extack);
	if (err)
		return err;

	fep = fep_alloc(un, cfg, settings);
	if (!fep) {
		NL_SET_ERR_MSG(extack, "fep: out of memory");
		return -ENOMEM;
	}
	err = uet_trim_want(fep, uet_fep_settings_trim(settings), extack);
	if (err)
		goto err_free;
	err = uet_carrier_open(fep, extack);
	if (err)
		goto err_trim;
	if (cfg->sd)
		uet_sd_use_fep(cfg->sd, fep);
	list_add_tail_rcu(&fep->list, &un->feps);
	uet_net_changed(un);
	uet_nl_notify_fep(UET_CMD_FEP_NTF, fep);
	return 0;

err_trim:
	uet_trim_want(fep, false, NULL);
err_free:
	uet_table_fini(&fep->table);
	uet_fep_put(fep);
	return err;
}

/*
 * Who can still be inside, and why that ends: the receive path found the FEP
 * through the carrier, whose closing waits for it and, as trimmed packets do,
 * under RCU; dumps found it on the list under RCU; PDC timers are cancelled by
 * uet_pdc_entry_kill_all(), whose grace period is for those of RUDI requests, too; that
 * of the pacer has no PDC left to tell anything to; sockets cannot, since a job with
 * this FEP would have kept it alive; netlink's ping cannot, since it holds the mutex.
 */
static void fep_kill(struct uet_fep *fep)
{
	int i;

	lockdep_assert_held(&fep->un->cfg_mutex);

	list_del_rcu(&fep->list);
	WRITE_ONCE(fep->dead, true);
	uet_trim_want(fep, false, NULL);
	uet_carrier_close(fep);
	uet_rudi_entry_kill_all(fep);
	uet_pdc_entry_kill_all(fep);
	uet_fep_pacer_shut(&fep->pacer);

	WRITE_ONCE(fep->usable, 0);
	for (i = 0; i < UET_FEP_RAILS_MAX; i++)
		RCU_INIT_POINTER(fep->rail[i], NULL);
	synchronize_rcu();
	uet_table_fini(&fep->table);
	if (fep->cfg.sd)
		WRITE_ONCE(fep->cfg.sd->nr_feps, fep->cfg.sd->nr_feps - 1);
	uet_fep_put(fep);
}

/**
 * uet_fep_del() - delete a FEP
 * @un: namespace
 * @name: its name
 * @extack: says why not
 *
 * Messages that closed sockets left in flight are lost with it.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0, -ENOENT, -EBUSY while a job uses it.
 */
int uet_fep_del(struct uet_net *un, const char *name,
		struct netlink_ext_ack *extack)
{
	struct uet_fep *fep;
	struct uet_job *job;

	lockdep_assert_held(&un->cfg_mutex);

	fep = uet_fep_find(un, name);
	if (!fep) {
		NL_SET_ERR_MSG(extack, "fep: no such fep");
		return -ENOENT;
	}
	list_for_each_entry(job, &un->jobs, list) {
		if (!uet_job_has_fep(job, fep))
			continue;
		uet_extack_fmt(extack, "fep: a job uses it",
			       "fep: job %u uses it", job->cfg.id);
		return -EBUSY;
	}
	uet_nl_notify_fep(UET_CMD_FEP_DEL_NTF, fep);
	fep_kill(fep);
	uet_net_changed(un);
	return 0;
}

/**
 * uet_fep_flush() - delete all FEPs, with no jobs left
 * @un: namespace
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_fep_flush(struct uet_net *un)
{
	struct uet_fep *fep, *next;

	list_for_each_entry_safe(fep, next, &un->feps, list)
		fep_kill(fep);
}

/**
 * uet_fep_rail_state() - can a rail carry the packets of a FEP?
 * @fep: FEP
 * @rail: one of its rails, or NULL if it is gone
 *
 * Context: rcu_read_lock() or uet_net.cfg_mutex held.
 * Return: USABLE, or why it cannot.
 */
enum uet_rail_state uet_fep_rail_state(const struct uet_fep *fep,
				       const struct uet_rail *rail)
{
	if (!rail)
		return UET_RAIL_STATE_GONE;
	if (!READ_ONCE(rail->usable))
		return UET_RAIL_STATE_DOWN;
	if (READ_ONCE(rail->dev->mtu) < READ_ONCE(fep->min_mtu))
		return UET_RAIL_STATE_MTU;
	return UET_RAIL_STATE_USABLE;
}

/**
 * uet_fep_raise_min_mtu() - settings may make headers longer
 * @fep: FEP
 * @settings: checked, to be published next
 * @extack: says why not
 *
 * Contexts that exist keep their headers, so what was needed once is needed until
 * the FEP goes.
 *
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: 0; -EINVAL: a rail would have to be given up for it.
 */
int uet_fep_raise_min_mtu(struct uet_fep *fep,
			  const struct uet_fep_settings *settings,
			  struct netlink_ext_ack *extack)
{
	u32 need = max(fep->min_mtu, fep_min_mtu(&fep->cfg, settings));
	struct uet_rail *rail;
	int i;

	lockdep_assert_held(&fep->un->cfg_mutex);
	for (i = 0; i < UET_FEP_RAILS_MAX; i++) {
		rail = rcu_dereference_protected(fep->rail[i], true);
		if (rail && READ_ONCE(rail->dev->mtu) >= fep->min_mtu &&
		    READ_ONCE(rail->dev->mtu) < need) {
			NL_SET_ERR_MSG(extack, "fep: cc with rccc adds 4 bytes to packets, which do not fit a rail then");
			return -EINVAL;
		}
	}
	WRITE_ONCE(fep->min_mtu, need);
	return 0;
}

static void fep_set_usable(struct uet_fep *fep, int slot, bool is_usable)
{
	bool was_usable = test_bit(slot, &fep->usable);

	if (is_usable == was_usable)
		return;
	/* Pairs with the READ_ONCE() in uet_fep_pick_slot(). */
	WRITE_ONCE(fep->usable, fep->usable ^ BIT(slot));
	if (was_usable)
		uet_mib_inc(fep->un, UET_MIB_RAIL_LOST);
	uet_nl_notify_fep(UET_CMD_FEP_NTF, fep);
}

/**
 * uet_fep_refresh_rail() - a rail came up, went down, or has another MTU or speed
 * @un: namespace
 * @rail: the rail
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_fep_refresh_rail(struct uet_net *un, struct uet_rail *rail)
{
	struct uet_fep *fep;
	int slot;

	lockdep_assert_held(&un->cfg_mutex);

	list_for_each_entry(fep, &un->feps, list) {
		slot = fep_rail_slot(fep, rail);
		if (slot < 0)
			continue;
		fep_set_usable(fep, slot, uet_fep_rail_state(fep, rail) ==
					  UET_RAIL_STATE_USABLE);
		uet_ccc_entry_update_rates(fep);
	}
}

/**
 * uet_fep_forget_rail() - a rail is going away for good
 * @un: namespace
 * @rail: the rail, freed by the caller after a grace period
 *
 * Context: Process context, uet_net.cfg_mutex held.
 */
void uet_fep_forget_rail(struct uet_net *un, struct uet_rail *rail)
{
	struct uet_fep *fep;
	int slot;

	lockdep_assert_held(&un->cfg_mutex);

	list_for_each_entry(fep, &un->feps, list) {
		slot = fep_rail_slot(fep, rail);
		if (slot < 0)
			continue;
		RCU_INIT_POINTER(fep->rail[slot], NULL);
		fep_set_usable(fep, slot, false);
		uet_ccc_entry_update_rates(fep);
	}
}

/**
 * uet_fep_pick_slot() - choose the rail of a packet
 * @fep: FEP
 * @ev: entropy value of the packet
 * @avoid: bit i: rail i only if there is no other
 *
 * Packets with the same entropy value leave on the same rail as long as the
 * set of usable rails does not change.
 *
 * Context: Any, rcu_read_lock() held.
 * Return: the place of a rail in uet_fep.rail, or -1 when none is usable.
 */
int uet_fep_pick_slot(const struct uet_fep *fep, u16 ev, unsigned long avoid)
{
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	unsigned long usable = READ_ONCE(fep->usable);
	unsigned int nth;

	if (!usable)
		return -1;
	if (usable & ~avoid)
		usable &= ~avoid;
	for (nth = ev % hweight_long(usable); nth; nth--)
		usable &= usable - 1;
	return __ffs(usable);
}
