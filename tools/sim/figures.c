// SPDX-License-Identifier: GPL-2.0
/*
 * The performance figures of the documentation: goodput of one long message by
 * window and loss.  Level: test.
 */
#include <inttypes.h>

#include "sim.h"

static void figure_row(u32 mtu, u16 window, u32 loss_ppm)
{
	static const struct sim_trace quiet;
	struct sim_params par;
	struct sim sim;
	double ns;

	sim_params_default(&par);
	par.rails = 2;
	par.mtu = mtu;
	par.pdc.window = window;
	par.loss_ppm = loss_ppm;
	par.size_min = 256 << 20;
	par.size_max = 256 << 20;
	par.rcvbuf = 512 << 20;
	if (sim_run(&sim, &par, &quiet)) {
		ns = (double)(sim.finish_ns - SIM_S);
		printf("%6u %8u %7.2f %% %10.1f %10" PRIu64 " %10" PRIu64 "\n",
		       mtu, window, loss_ppm / 1e4,
		       8.0 * par.size_max / ns, sim.count.pdc.tx_ack,
		       sim.count.pdc.tx_retx);
	} else {
		printf("%6u %8u failed: %s\n", mtu, window, sim.why);
	}
	sim_fini(&sim);
}

/**
 * sim_figures() - print the goodput of one message on two rails of 100 Gb/s and 10 us
 *
 * The runs have no congestion control: only the PSN window limits the sender.
 */
void sim_figures(void)
{
	static const u32 loss[] = { 0, 1000, 10000 };
	static const u16 window[] = { 128, 256, 1024 };
	static const u32 mtu[] = { 4096, 8192 };
	u32 i, k, n;

	printf("   mtu   window      loss       Gb/s       ACKs       retx\n");
	for (i = 0; i < ARRAY_SIZE(mtu); i++)
		for (k = 0; k < ARRAY_SIZE(window); k++)
			for (n = 0; n < ARRAY_SIZE(loss); n++)
				figure_row(mtu[i], window[k], loss[n]);
}
