// SPDX-License-Identifier: GPL-2.0
/*
 * Module load and unload.  Init functions run in dependency order, exit functions in
 * reverse.
 *
 * The module has no alias for the protocol family or the netlink family: an unprivileged
 * socket() must not load the module.  modprobe loads the module.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "carrier/carrier.h"
#include "cms/cms.h"
#include "config/config.h"
#include "endpoint/endpoint.h"
#include "message/message.h"
#include "netlink/netlink.h"
#include "pdc/pdc.h"
#include "socket/socket.h"
#include "stream/stream.h"
#include "transfer/transfer.h"

static int __init main_init(void)
{
	int err;

	err = uet_pdc_entry_init();
	if (err)
		return err;
	err = uet_mem_init();
	if (err)
		goto err_pdc_entry;
	err = uet_mr_own_init();
	if (err)
		goto err_mem;
	err = uet_tx_message_init();
	if (err)
		goto err_mr_own;
	err = uet_defer_init();
	if (err)
		goto err_tx_message;
	err = uet_crc32c_init();
	if (err)
		goto err_defer;
	err = uet_offload_init();
	if (err)
		goto err_crc32c;
	err = uet_stream_ep_init(uet_stream_demux);
	if (err)
		goto err_offload;
	err = uet_config_follow_netns();
	if (err)
		goto err_stream_ep;
	err = uet_config_follow_netdevs();
	if (err)
		goto err_net;
	err = uet_sock_init();
	if (err)
		goto err_rail;
	err = uet_stream_init();
	if (err)
		goto err_sock;
	err = uet_nl_init();
	if (err)
		goto err_stream;
	pr_info("uet: Ultra Ethernet Transport %s, socket family %d, UDP port %d\n",
		UET_VERSION, uet_sock_family(), UET_PORT_DEFAULT);
	if (!UET_HAS_ZEROCOPY)
		pr_info("uet: MSG_ZEROCOPY copies: this kernel does not say which packet releases pages\n");
	return 0;

err_stream:
	uet_stream_fini();
err_sock:
	uet_sock_fini();
err_rail:
	uet_config_ignore_netdevs();
err_net:
	uet_config_ignore_netns();
err_stream_ep:
	uet_stream_ep_fini();
err_offload:
	uet_offload_fini();
err_crc32c:
	uet_crc32c_fini();
err_defer:
	uet_defer_fini();
err_tx_message:
	uet_tx_message_fini();
err_mr_own:
	uet_mr_own_fini();
err_mem:
	uet_mem_fini();
err_pdc_entry:
	uet_pdc_entry_fini();
	return err;
}

static void __exit main_exit(void)
{
	uet_nl_fini();
	uet_stream_fini();
	uet_sock_fini();
	uet_defer_fini();
	uet_config_ignore_netdevs();
	uet_config_ignore_netns();
	uet_stream_ep_fini();
	uet_offload_fini();
	uet_crc32c_fini();
	uet_tx_message_fini();
	uet_mr_own_fini();
	/* Also waits for all other RCU callbacks of the module. */
	uet_pdc_entry_fini();
	uet_mem_fini();
	uet_ccc_entry_fini();
}

module_init(main_init);
module_exit(main_exit);

MODULE_DESCRIPTION("Ultra Ethernet Transport");
MODULE_VERSION(UET_VERSION);
MODULE_LICENSE("GPL");
