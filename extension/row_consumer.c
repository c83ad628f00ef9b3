/*
 * row_consumer.c - see row_consumer.h.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "utils/memutils.h"

#include "compat.h"
#include "row_consumer.h"

RowConsumer *
row_consumer_create(TupleDesc row_desc, RowObserver observer, void *observer_context)
{
	RowConsumer *consumer = palloc0(sizeof(RowConsumer));
	int natts = row_desc->natts;

	consumer->row_desc = row_desc;
	consumer->observer = observer;
	consumer->observer_context = observer_context;
	consumer->values = palloc(sizeof(Datum) * Max(natts, 1));
	consumer->nulls = palloc(sizeof(bool) * Max(natts, 1));
	consumer->varlena_attributes = palloc(sizeof(int) * Max(natts, 1));
	for (int i = 0; i < natts; i++)
	{
		if (TupleDescAttr(row_desc, i)->attlen == -1)
			consumer->varlena_attributes[consumer->varlena_count++] = i;
	}
	consumer->row_context =
		AllocSetContextCreate(CurrentMemoryContext, "pg_transferbench row", ALLOCSET_DEFAULT_SIZES);
	return consumer;
}

static void
detoast_values(RowConsumer *consumer)
{
	for (int i = 0; i < consumer->varlena_count; i++)
	{
		int attribute = consumer->varlena_attributes[i];
		struct varlena *value;

		if (consumer->nulls[attribute])
			continue;
		value = (struct varlena *) DatumGetPointer(consumer->values[attribute]);
		if (VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value))
			consumer->values[attribute] = PointerGetDatum(detoast_attr(value));
	}
}

void
row_consumer_consume(RowConsumer *consumer, TupleTableSlot *slot)
{
	int natts = consumer->row_desc->natts;
	MemoryContext caller_context = MemoryContextSwitchTo(consumer->row_context);

	slot_getallattrs(slot);
	memcpy(consumer->values, slot->tts_values, sizeof(Datum) * natts);
	memcpy(consumer->nulls, slot->tts_isnull, sizeof(bool) * natts);
	detoast_values(consumer);
	(void) heap_form_tuple(consumer->row_desc, consumer->values, consumer->nulls);
	if (consumer->observer != NULL)
		consumer->observer(consumer->observer_context, consumer->values, consumer->nulls);
	consumer->rows++;
	MemoryContextSwitchTo(caller_context);
	MemoryContextReset(consumer->row_context);
}
