// SPDX-License-Identifier: GPL-2.0
/*
 * FEPs: validation of a configuration, the object and its references, look-ups, and the
 * selection of the rail of a packet.  config/life.c creates and deletes FEPs.
 */
#include <linux/bitops.h>
#include <linux/inetdevice.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/route.h>

#include "base/base.h"
#include "fep.h"
#include "net.h"
#include "rail.h"

/*
 * Header bytes of the largest packet sent: UDP, a request without CC state and the
 * standard SES header.  Native IP needs FEP_NATIVE_LESS bytes less than UDP.
 */
#define FEP_HEADERS		(sizeof(struct udphdr) + UET_REQ_LEN + \
				 UET_SES_STD_LEN)
#define FEP_NATIVE_LESS		(sizeof(struct udphdr) - UET_ENTROPY_LEN)
#define FEP_HEADERS_V4		(FEP_HEADERS + sizeof(struct iphdr))
#define FEP_HEADERS_V6		(FEP_HEADERS + sizeof(struct ipv6hdr))

static u32 fep_min_mtu(const struct uet_fep_cfg *cfg, const struct uet_fep_settings *settings)
{
	u32 need = cfg->mtu;

	if (uet_fep_settings_is_paced(settings))
		need += UET_REQ_CC_LEN - UET_REQ_LEN;
	need += cfg->fa.family == AF_INET ? FEP_HEADERS_V4 : FEP_HEADERS_V6;
	if (cfg->encap == UET_ENCAP_NATIVE)
		need -= FEP_NATIVE_LESS;
	return need + cfg->protect_len;
}

/* Before 6.2 an error text is a constant, so common MTUs have their own texts. */
#define FEP_MTU_TEXT(mtu)						\
	"fep: mtu" mtu " does not fit a rail: headers add 84 (IPv4) or 104 bytes, native 4 less, crc 4 more, cc with rccc 4 more, an sd 28 or 32 more"

static int fep_refuse_mtu(u16 mtu, struct netlink_ext_ack *extack)
{
	static_assert(FEP_HEADERS_V4 == 84 && FEP_HEADERS_V6 == 104 &&
		      FEP_NATIVE_LESS == 4 && UET_CRC_LEN == 4);

	switch (mtu) {
	case 1024:
		return uet_refuse(extack, -EINVAL, FEP_MTU_TEXT(" 1024"));
	case 2048:
		return uet_refuse(extack, -EINVAL, FEP_MTU_TEXT(" 2048"));
	case 4096:
		return uet_refuse(extack, -EINVAL, FEP_MTU_TEXT(" 4096"));
	case 8192:
		return uet_refuse(extack, -EINVAL, FEP_MTU_TEXT(" 8192"));
	default:
		return uet_refuse(extack, -EINVAL, FEP_MTU_TEXT(""));
	}
}

/*
 * uet_fep_find() - the FEP with a name, without a reference, or NULL
 * Context: rcu_read_lock(), uet_net.cfg_mutex or uet_net.rail_mutex held.
 */
struct uet_fep *uet_fep_find(struct uet_net *un, const char *name)
{
	unsigned long number;
	struct uet_fep *fep;

	xa_for_each(&un->feps, number, fep) {
		if (!strcmp(fep->cfg.name, name))
			return fep;
	}
	return NULL;
}

static u32 fep_hash(const struct uet_net *un, const struct uet_fa *fa)
{
	return jhash(fa, sizeof(*fa), un->fep_seed);
}

/*
 * uet_fep_find_fa() - the FEP with a fabric address, without a reference, or NULL
 * Context: rcu_read_lock(), uet_net.cfg_mutex or uet_net.rail_mutex held.
 */
struct uet_fep *uet_fep_find_fa(struct uet_net *un, const struct uet_fa *fa)
{
	struct uet_fep *fep;

	hash_for_each_possible_rcu(un->feps_by_fa, fep, by_fa, fep_hash(un, fa),
				   lockdep_is_held(&un->cfg_mutex) ||
				   lockdep_is_held(&un->rail_mutex)) {
		if (uet_fa_equal(&fep->cfg.fa, fa))
			return fep;
	}
	return NULL;
}
UET_EXPORT(uet_fep_find_fa);

static int fep_rail_slot(const struct uet_fep *fep, const struct uet_rail *rail)
{
	int i;

	for (i = 0; i < fep->cfg.nr_rails; i++) {
		if (rcu_access_pointer(fep->rail[i]) == rail)
			return i;
	}
	return -1;
}

/*
 * uet_fep_find_rail() - the first FEP with a rail, without a reference, or NULL
 * Context: uet_net.rail_mutex held.
 */
struct uet_fep *uet_fep_find_rail(struct uet_net *un, const struct uet_rail *rail)
{
	unsigned long number;
	struct uet_fep *fep;

	lockdep_assert_held(&un->rail_mutex);

	xa_for_each(&un->feps, number, fep) {
		if (fep_rail_slot(fep, rail) >= 0)
			return fep;
	}
	return NULL;
}

/*
 * uet_fep_cfg_of_dev() - copy the configuration of the first FEP that has a netdev as its rail
 * Return: 0; -ENODEV: no FEP has.
 */
int uet_fep_cfg_of_dev(const struct net_device *dev, struct uet_fep_cfg *cfg)
{
	struct uet_net *un = uet_net(dev_net(dev));
	struct uet_fep *fep = NULL;
	struct uet_rail *rail;

	mutex_lock(&un->rail_mutex);
	rail = uet_rail_find(un, dev->ifindex);
	if (rail)
		fep = uet_fep_find_rail(un, rail);
	if (fep)
		*cfg = fep->cfg;
	mutex_unlock(&un->rail_mutex);
	/* Its reference is the FEP's. */
	cfg->sd = NULL;
	return fep ? 0 : -ENODEV;
}
UET_EXPORT(uet_fep_cfg_of_dev);

/*
 * uet_fep_get() - take a reference
 *
 * The caller has one, or holds uet_net.cfg_mutex and found @fep in uet_net.feps.
 */
void uet_fep_get(struct uet_fep *fep)
{
	refcount_inc(&fep->refs);
}

static void fep_free_rcu(struct rcu_head *rcu)
{
	struct uet_fep *fep = container_of(rcu, struct uet_fep, rcu);

	uet_fep_settings_put(rcu_dereference_protected(fep->settings, true));
	kfree(fep->pdcs);
	kfree(fep->eps);
	kvfree(fep->cms);
	kfree(fep);
}

/*
 * uet_fep_put() - drop a reference
 */
void uet_fep_put(struct uet_fep *fep)
{
	if (refcount_dec_and_test(&fep->refs))
		call_rcu(&fep->rcu, fep_free_rcu);
}

static bool fep_fa_is_local(struct uet_net *un, const struct uet_fa *fa)
{
	struct net_device *dev;
	bool is_local = false;

	if (fa->family == AF_INET)
		return inet_addr_type(un->net, fa->v4) == RTN_LOCAL;

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
	if (uet_fep_find(un, cfg->name))
		return uet_refuse(extack, -EEXIST, "fep: name is taken");
	if (uet_fep_find_fa(un, &cfg->fa))
		return uet_refuse(extack, -EEXIST, "fep: another fep has this addr");
	if (!fep_fa_is_local(un, &cfg->fa))
		return uet_refuse(extack, -EADDRNOTAVAIL,
				  "fep: addr is no address of this namespace, or tentative");
	return 0;
}

static int fep_check_rail(struct uet_net *un, const struct uet_fep_cfg *cfg,
			  const struct uet_fep_settings *settings, int slot,
			  struct netlink_ext_ack *extack)
{
	struct uet_rail *rail = uet_rail_find(un, cfg->ifindex[slot]);
	struct uet_rail *other;
	int i;

	if (!rail)
		return uet_refuse(extack, -ENOENT, "fep: netdev is not a rail, see rail add");
	if (READ_ONCE(rail->dev->mtu) < fep_min_mtu(cfg, settings))
		return fep_refuse_mtu(cfg->mtu, extack);
	if (cfg->fa.scope_id && cfg->fa.scope_id != rail->ifindex)
		return uet_refuse(extack, -EINVAL,
				  "fep: a link-local addr can have the rail it is on only");
	for (i = 0; i < slot; i++) {
		other = uet_rail_find(un, cfg->ifindex[i]);
		if (other == rail)
			return uet_refuse(extack, -EINVAL, "fep: a rail is named twice");
		if (other->plane == rail->plane)
			return uet_refuse(extack, -EINVAL,
					  "fep: its rails must be on different planes");
	}
	return 0;
}

/*
 * uet_fep_choose_mtu() - set @cfg->mtu of a new FEP, the rest of which is complete
 *
 * It is UET_MTU_DEFAULT, or the largest that fits all rails, if that is less.  Larger rails do
 * not change it, because peers must have the same.  If none fits, or a rail does not exist, the
 * smallest is set, and uet_fep_check() has the reason of the failure.
 * Context: Process context, uet_net.rail_mutex held.
 */
void uet_fep_choose_mtu(struct uet_net *un, struct uet_fep_cfg *cfg,
			const struct uet_fep_settings *settings)
{
	u32 room = U32_MAX;
	struct uet_rail *rail;
	int i;

	lockdep_assert_held(&un->rail_mutex);
	for (i = 0; i < cfg->nr_rails; i++) {
		rail = uet_rail_find(un, cfg->ifindex[i]);
		room = min(room, rail ? READ_ONCE(rail->dev->mtu) : 0);
	}
	cfg->mtu = UET_MTU_DEFAULT;
	while (cfg->mtu > UET_MTU_MIN && fep_min_mtu(cfg, settings) > room)
		cfg->mtu /= 2;
}

/*
 * uet_fep_check() - validate the configuration of a new FEP, each field within its range
 * @settings: checked settings
 * Context: Process context, uet_net.cfg_mutex and uet_net.rail_mutex held.
 * Return: 0; -EEXIST: name or address in use; -EADDRNOTAVAIL: address not local; -ENOENT: no
 *	such rail; -EINVAL: no rail, duplicate rail or plane, wrong link, or the MTU of a rail is
 *	too small.
 */
int uet_fep_check(struct uet_net *un, const struct uet_fep_cfg *cfg,
		  const struct uet_fep_settings *settings, struct netlink_ext_ack *extack)
{
	int err = fep_check_identity(un, cfg, extack);
	int i;

	if (err)
		return err;
	if (!cfg->nr_rails)
		return uet_refuse(extack, -EINVAL, "fep: needs a rail");
	for (i = 0; i < cfg->nr_rails; i++) {
		err = fep_check_rail(un, cfg, settings, i, extack);
		if (err)
			return err;
	}
	return 0;
}

/*
 * uet_fep_alloc() - an unlisted FEP with one reference, without rails and parts of other folders
 * Context: Process context, uet_net.cfg_mutex held.
 * Return: NULL: out of memory.
 */
struct uet_fep *uet_fep_alloc(struct uet_net *un, const struct uet_fep_cfg *cfg,
			      const struct uet_fep_settings *settings)
{
	struct uet_fep *fep = kzalloc(sizeof(*fep), GFP_KERNEL_ACCOUNT);
	struct uet_fep_settings *copy;

	if (!fep)
		return NULL;
	copy = uet_fep_settings_dup(settings);
	if (!copy) {
		kfree(fep);
		return NULL;
	}
	fep->un = un;
	fep->cfg = *cfg;
	fep->min_mtu = fep_min_mtu(cfg, settings);
	RCU_INIT_POINTER(fep->settings, copy);
	refcount_set(&fep->refs, 1);
	return fep;
}

/*
 * uet_fep_list() - give an open FEP its rails and publish it
 *
 * Rails that end from now on are removed from the FEP by uet_fep_forget_rail().
 * Context: Process context, uet_net.cfg_mutex and uet_net.rail_mutex held.
 * Return: 0; -ENOENT: a rail has ended since uet_fep_check(); -ENOMEM.
 */
int uet_fep_list(struct uet_fep *fep, struct netlink_ext_ack *extack)
{
	struct uet_rail *rail[UET_FEP_RAILS_MAX];
	struct uet_net *un = fep->un;
	unsigned long usable = 0;
	int i;

	lockdep_assert_held(&un->cfg_mutex);
	lockdep_assert_held(&un->rail_mutex);

	for (i = 0; i < fep->cfg.nr_rails; i++) {
		rail[i] = uet_rail_find(un, fep->cfg.ifindex[i]);
		if (!rail[i])
			return uet_refuse(extack, -ENOENT, "fep: a rail was removed meanwhile");
		if (uet_fep_rail_state(fep, rail[i]) == UET_RAIL_STATE_USABLE)
			usable |= BIT(i);
	}
	/* A FEP that is not listed gets no rails: nobody would take them from it. */
	if (xa_alloc_cyclic(&un->feps, &fep->number, NULL, xa_limit_32b,
			    &un->next_fep, GFP_KERNEL) < 0)
		return uet_refuse(extack, -ENOMEM, "fep: out of memory");
	for (i = 0; i < fep->cfg.nr_rails; i++)
		rcu_assign_pointer(fep->rail[i], rail[i]);
	/* Pairs with the READ_ONCE() in uet_fep_slot_of(). */
	WRITE_ONCE(fep->usable, usable);
	/* The place is there, so this needs no memory. */
	xa_store(&un->feps, fep->number, fep, GFP_KERNEL);
	hash_add_rcu(un->feps_by_fa, &fep->by_fa, fep_hash(un, &fep->cfg.fa));
	return 0;
}

/*
 * uet_fep_unlist() - no look-up finds the FEP, and it has no rails any more
 *
 * The FEP moves to uet_net.ending.
 * Context: Process context, uet_net.cfg_mutex and uet_net.rail_mutex held.
 */
void uet_fep_unlist(struct uet_fep *fep)
{
	struct uet_net *un = fep->un;
	int i;

	lockdep_assert_held(&un->cfg_mutex);
	lockdep_assert_held(&un->rail_mutex);

	xa_erase(&un->feps, fep->number);
	hash_del_rcu(&fep->by_fa);
	list_add_tail(&fep->ending, &un->ending);
	WRITE_ONCE(fep->dead, true);
	WRITE_ONCE(fep->usable, 0);
	for (i = 0; i < fep->cfg.nr_rails; i++)
		RCU_INIT_POINTER(fep->rail[i], NULL);
}

/*
 * uet_fep_rail_state() - can a rail, or NULL for one that was removed, carry packets of a FEP?
 * Context: rcu_read_lock() or uet_net.rail_mutex held.
 * Return: USABLE, or the reason why not.
 */
enum uet_rail_state uet_fep_rail_state(const struct uet_fep *fep, const struct uet_rail *rail)
{
	if (!rail)
		return UET_RAIL_STATE_GONE;
	if (!READ_ONCE(rail->usable))
		return UET_RAIL_STATE_DOWN;
	if (READ_ONCE(rail->dev->mtu) < READ_ONCE(fep->min_mtu))
		return UET_RAIL_STATE_MTU;
	return UET_RAIL_STATE_USABLE;
}

/*
 * uet_fep_raise_min_mtu() - account for longer headers of settings that are published next
 *
 * Existing contexts keep their header format, so the required MTU never shrinks during the
 * lifetime of the FEP.
 * Context: Process context, uet_net.rail_mutex held.
 * Return: 0; -EINVAL: a rail with a sufficient MTU would become unusable.
 */
int uet_fep_raise_min_mtu(struct uet_fep *fep, const struct uet_fep_settings *settings,
			  struct netlink_ext_ack *extack)
{
	u32 need = max(fep->min_mtu, fep_min_mtu(&fep->cfg, settings));
	struct uet_rail *rail;
	int i;

	lockdep_assert_held(&fep->un->rail_mutex);
	for (i = 0; i < fep->cfg.nr_rails; i++) {
		rail = rcu_dereference_protected(fep->rail[i], true);
		if (rail && READ_ONCE(rail->dev->mtu) >= fep->min_mtu &&
		    READ_ONCE(rail->dev->mtu) < need)
			return uet_refuse(extack, -EINVAL,
					  "fep: cc with rccc adds 4 bytes to packets, which do not fit a rail then");
	}
	WRITE_ONCE(fep->min_mtu, need);
	return 0;
}

static void fep_set_usable(struct uet_fep *fep, int slot, bool is_usable)
{
	bool was_usable = test_bit(slot, &fep->usable);

	if (is_usable == was_usable)
		return;
	/* Pairs with the READ_ONCE() in uet_fep_slot_of(). */
	WRITE_ONCE(fep->usable, fep->usable ^ BIT(slot));
	if (was_usable)
		uet_mib_inc(fep->un, UET_MIB_RAIL_LOST);
	uet_event_fep(fep, false);
}

/*
 * uet_fep_refresh_rail() - handle a change of the state, MTU or speed of a rail
 * Context: Process context, uet_net.rail_mutex held.
 * Return: true if the FEP has the rail.
 */
bool uet_fep_refresh_rail(struct uet_fep *fep, struct uet_rail *rail)
{
	int slot = fep_rail_slot(fep, rail);

	lockdep_assert_held(&fep->un->rail_mutex);

	if (slot < 0)
		return false;
	fep_set_usable(fep, slot, uet_fep_rail_state(fep, rail) == UET_RAIL_STATE_USABLE);
	return true;
}

/*
 * uet_fep_forget_rail() - remove a rail, which the caller frees after a grace period
 * Context: Process context, uet_net.rail_mutex held.
 * Return: true if the FEP had the rail.
 */
bool uet_fep_forget_rail(struct uet_fep *fep, struct uet_rail *rail)
{
	int slot = fep_rail_slot(fep, rail);

	lockdep_assert_held(&fep->un->rail_mutex);

	if (slot < 0)
		return false;
	strscpy(fep->gone_rail[slot].name, rail->dev->name, IFNAMSIZ);
	fep->gone_rail[slot].plane = rail->plane;
	/* Pairs with the smp_rmb() of readers that find no rail. */
	smp_wmb();
	RCU_INIT_POINTER(fep->rail[slot], NULL);
	fep_set_usable(fep, slot, false);
	return true;
}

/*
 * uet_fep_slot_of() - the rail of the entropy values of a lane, uet_ev_lane()
 * @avoid: bit i: use rail i only if no other rail is usable
 *
 * Packets of a lane leave on the same rail as long as the set of usable rails does not change.
 * Context: Any, rcu_read_lock() held.
 * Return: index into uet_fep.rail; -1: no rail is usable.
 */
int uet_fep_slot_of(const struct uet_fep *fep, u8 lane, unsigned long avoid)
{
	/* Pairs with the WRITE_ONCE() in fep_set_usable(). */
	unsigned long usable = READ_ONCE(fep->usable);
	unsigned int nth;

	if (!usable)
		return -1;
	if (usable & ~avoid)
		usable &= ~avoid;
	for (nth = lane * hweight_long(usable) / UET_EV_LANES; nth; nth--)
		usable &= usable - 1;
	return __ffs(usable);
}
