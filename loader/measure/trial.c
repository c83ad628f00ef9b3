#include "measure/trial.h"

const char *const trial_phase_names[PHASE_COUNT] = {
	[PHASE_CONNECT] = "connect",   [PHASE_GENERATE] = "generate",
	[PHASE_ENCODE] = "encode",     [PHASE_READ_BACK] = "read_back",
	[PHASE_TRANSFER] = "transfer", [PHASE_FIRST_BYTE] = "first_byte",
	[PHASE_DECODE] = "decode",     [PHASE_COMMIT] = "commit",
};

void
trial_init(Trial *trial)
{
	*trial = (Trial){
		.wire_bytes = TRIAL_UNKNOWN,
		.requests = TRIAL_UNKNOWN,
		.cost =
			{
				.client_cpu_user_us = COST_UNKNOWN,
				.client_cpu_system_us = COST_UNKNOWN,
				.client_peak_bytes = COST_UNKNOWN,
				.backend_cpu_us = COST_UNKNOWN,
				.backend_peak_bytes = COST_UNKNOWN,
				.api_cpu_us = COST_UNKNOWN,
				.api_peak_bytes = COST_UNKNOWN,
				.api_backend_cpu_us = COST_UNKNOWN,
				.api_backend_peak_bytes = COST_UNKNOWN,
				.machine_cpu_us = COST_UNKNOWN,
				.system_memory_bytes = COST_UNKNOWN,
			},
	};
	for (int phase = 0; phase < PHASE_COUNT; phase++)
		trial->phase_ns[phase] = TRIAL_UNKNOWN;
}

void
trial_free(Trial *trial)
{
	row_ranges_free(&trial->refused);
	row_ranges_free(&trial->in_doubt);
}

const char *
trial_status_name(TrialStatus status)
{
	switch (status)
	{
		case TRIAL_OK:
			return "ok";
		case TRIAL_SHORT:
			return "short";
		case TRIAL_FAILED:
			return "failed";
		case TRIAL_INTERRUPTED:
			return "interrupted";
	}
	return "failed";
}

const char *
transfer_direction_name(TransferDirection direction)
{
	return direction == TRANSFER_READ ? "read" : "write";
}

void
trial_keep_own_costs(Trial *trial, bool is_native)
{
	Cost *cost = &trial->cost;

	if (is_native)
		cost->api_cpu_us = cost->api_peak_bytes = cost->api_backend_cpu_us =
			cost->api_backend_peak_bytes = COST_UNKNOWN;
	else
		cost->backend_cpu_us = cost->backend_peak_bytes = COST_UNKNOWN;
}
