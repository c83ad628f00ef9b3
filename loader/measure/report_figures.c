#include "measure/report_figures.h"

#include <math.h>

#define NS_PER_MS 1000000
#define US_PER_MS 1000

const ReportFigure report_trial_figures[] = {
	{"bytes", offsetof(Trial, bytes), 1},
	{"wire_bytes", offsetof(Trial, wire_bytes), 1},
	{"requests", offsetof(Trial, requests), 1},
	{"retries", offsetof(Trial, retries), 1},
	{"retry_wait_ms", offsetof(Trial, retry_wait_ns), NS_PER_MS},
	{NULL, 0, 0},
};

const ReportFigure report_phase_figures[] = {
	{"connect_ms", offsetof(Trial, phase_ns[PHASE_CONNECT]), NS_PER_MS},
	{"generate_ms", offsetof(Trial, phase_ns[PHASE_GENERATE]), NS_PER_MS},
	{"encode_ms", offsetof(Trial, phase_ns[PHASE_ENCODE]), NS_PER_MS},
	{"read_back_ms", offsetof(Trial, phase_ns[PHASE_READ_BACK]), NS_PER_MS},
	{"transfer_ms", offsetof(Trial, phase_ns[PHASE_TRANSFER]), NS_PER_MS},
	{"first_byte_ms", offsetof(Trial, phase_ns[PHASE_FIRST_BYTE]), NS_PER_MS},
	{"decode_ms", offsetof(Trial, phase_ns[PHASE_DECODE]), NS_PER_MS},
	{"commit_ms", offsetof(Trial, phase_ns[PHASE_COMMIT]), NS_PER_MS},
	{NULL, 0, 0},
};

const ReportFigure report_cost_figures[] = {
	{"client_cpu_user_ms", offsetof(Trial, cost.client_cpu_user_us), US_PER_MS},
	{"client_cpu_system_ms", offsetof(Trial, cost.client_cpu_system_us), US_PER_MS},
	{"client_peak_bytes", offsetof(Trial, cost.client_peak_bytes), 1},
	{"backend_cpu_ms", offsetof(Trial, cost.backend_cpu_us), US_PER_MS},
	{"backend_peak_bytes", offsetof(Trial, cost.backend_peak_bytes), 1},
	{"api_cpu_ms", offsetof(Trial, cost.api_cpu_us), US_PER_MS},
	{"api_peak_bytes", offsetof(Trial, cost.api_peak_bytes), 1},
	{"api_backend_cpu_ms", offsetof(Trial, cost.api_backend_cpu_us), US_PER_MS},
	{"api_backend_peak_bytes", offsetof(Trial, cost.api_backend_peak_bytes), 1},
	{"machine_cpu_ms", offsetof(Trial, cost.machine_cpu_us), US_PER_MS},
	{"system_memory_bytes", offsetof(Trial, cost.system_memory_bytes), 1},
	{NULL, 0, 0},
};

int64_t
report_figure_raw(const ReportFigure *figure, const Trial *trial)
{
	return *(const int64_t *) ((const char *) trial + figure->offset);
}

double
report_known(int64_t figure)
{
	return figure < 0 ? NAN : (double) figure;
}

double
report_figure(const ReportFigure *figure, const Trial *trial)
{
	return report_known(report_figure_raw(figure, trial)) / (double) figure->divisor;
}

double
report_elapsed_ms(const Trial *trial)
{
	return trial->elapsed_ns > 0 ? (double) trial->elapsed_ns / NS_PER_MS : NAN;
}

static double
per_second(const Trial *trial, int64_t amount)
{
	return report_known(amount) / report_elapsed_ms(trial) * 1000;
}

double
report_rows_per_second(const Trial *trial)
{
	return per_second(trial, trial->rows);
}

double
report_bytes_per_second(const Trial *trial)
{
	return per_second(trial, trial->bytes);
}

double
report_client_cpu_ms(const Trial *trial)
{
	const Cost *cost = &trial->cost;

	return (report_known(cost->client_cpu_user_us) + report_known(cost->client_cpu_system_us)) /
		   US_PER_MS;
}

double
report_api_cpu_ms(const Trial *trial)
{
	const Cost *cost = &trial->cost;

	return (report_known(cost->api_cpu_us) + report_known(cost->api_backend_cpu_us)) / US_PER_MS;
}

double
report_api_peak_bytes(const Trial *trial)
{
	return report_known(trial->cost.api_peak_bytes) +
		   report_known(trial->cost.api_backend_peak_bytes);
}

bool
report_is_sample(const Trial *trial)
{
	return trial->number > 0 && trial->status == TRIAL_OK;
}
