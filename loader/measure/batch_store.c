#include "measure/batch_store.h"

#include <stdlib.h>

#define INDEX_MEMORY_BYTES (256 * 1024)

struct BatchStore
{
	BodySpool *index; /* records, one after the other: there may be as many batches as rows */
	BodySpool *bytes;
	int64_t batches;
	int64_t end; /* of the last batch's bytes */
};

BatchStore *
batch_store_create(void)
{
	BatchStore *store = calloc(1, sizeof(BatchStore));

	if (store == NULL)
		return NULL;
	store->index = body_spool_create(INDEX_MEMORY_BYTES);
	store->bytes = body_spool_create(0);
	if (store->index == NULL || store->bytes == NULL)
	{
		batch_store_free(store);
		return NULL;
	}
	return store;
}

void
batch_store_free(BatchStore *store)
{
	if (store == NULL)
		return;
	body_spool_free(store->index);
	body_spool_free(store->bytes);
	free(store);
}

BodySpool *
batch_store_spool(BatchStore *store)
{
	return store->bytes;
}

bool
batch_store_add(BatchStore *store, const BatchRecord *record)
{
	BatchRecord added = *record;

	added.offset = store->end;
	added.length = body_spool_length(store->bytes) - store->end;
	if (!body_spool_append(store->index, (const char *) &added, sizeof(added)))
		return false;
	store->end += added.length;
	store->batches++;
	return true;
}

int64_t
batch_store_batches(const BatchStore *store)
{
	return store->batches;
}

bool
batch_store_find(BatchStore *store, int64_t number, BatchRecord *record)
{
	int64_t offset = (number - 1) * (int64_t) sizeof(BatchRecord);

	return body_spool_read(store->index, offset, (char *) record, sizeof(BatchRecord)) ==
		   (ssize_t) sizeof(BatchRecord);
}

const char *
batch_store_problem(const BatchStore *store)
{
	const char *problem = body_spool_problem(store->bytes);

	return *problem != '\0' ? problem : body_spool_problem(store->index);
}
