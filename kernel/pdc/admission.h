/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outcomes of the admission of a message: the decision of deferrable sends and
 * of rendezvous on the first packet of a message. The receive path maps an
 * outcome to the answer of the packet.
 */
#ifndef UET_ADMISSION_H
#define UET_ADMISSION_H

/**
 * enum uet_admission - outcome for the first packet of a message
 * @UET_ADMIT_START: the packet starts the message
 * @UET_ADMIT_DEFER: defer the message; its sender keeps the message
 * @UET_ADMIT_NO_SPACE: no space or memory, or UET_ENVELOPES is reached: NACK, the
 *	packet is retransmitted
 * @UET_ADMIT_BAD_TOKEN: a restart that was not requested: refuse the message
 * @UET_ADMIT_RDV_LONG: rendezvous longer than the receive buffer: refuse the
 *	message
 *
 * Only UET_ADMIT_START gives the caller a message.
 */
enum uet_admission {
	UET_ADMIT_START,
	UET_ADMIT_DEFER,
	UET_ADMIT_NO_SPACE,
	UET_ADMIT_BAD_TOKEN,
	UET_ADMIT_RDV_LONG,
};

#endif
