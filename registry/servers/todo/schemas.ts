import * as z from 'zod';

/** One item is a line or a short note, not a document. */
const TEXT_LENGTH_MAX = 1000;
/** Items in one list: far beyond what a person keeps, and small enough to be read at once. */
export const ITEMS_MAX = 5000;
/** Items in one answer: a model reads them all. */
const LISTED_MAX = 500;
const LISTED_STANDARD = 100;
const CONTEXT_LENGTH_MAX = 2000;

const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

const Id = z.int().min(1).describe('The number of the item, as the list shows it');
const Text = z.string().trim().min(1).max(TEXT_LENGTH_MAX).describe('What is to be done');
const Priority = z.enum(PRIORITIES);
/** An empty text instead of null: many hosts cannot send a null, and an absent member means "unchanged". */
const Due = z.string().regex(/^(\d{4}-\d{2}-\d{2})?$/);

export const AddInput = z.object({
  text: Text,
  priority: Priority.default('normal'),
  due: Due.optional().describe('Day by which it should be done, YYYY-MM-DD'),
});

export const ListInput = z.object({
  status: z.enum(['open', 'done', 'all']).default('open'),
  limit: z.int().min(1).max(LISTED_MAX).default(LISTED_STANDARD).describe('How many items at most'),
});

export const IdInput = z.object({ id: Id });

export const UpdateInput = z.object({
  id: Id,
  text: Text.optional(),
  priority: Priority.optional(),
  due: Due.optional().describe('YYYY-MM-DD; an empty text removes the day'),
  done: z.boolean().optional().describe('false opens a completed item again'),
});

export const SuggestInput = z.object({
  context: z.string().trim().max(CONTEXT_LENGTH_MAX).optional().describe('What matters now: time left, place, mood'),
});

export const Item = z.object({
  id: z.number(),
  text: z.string(),
  done: z.boolean(),
  priority: Priority,
  due: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
});

export const ItemResult = z.object({ item: Item });
export const ListResult = z.object({
  items: z.array(Item),
  total: z.number().describe('All that match, also beyond the limit'),
});
export const RemoveResult = z.object({ removed: Item });
export const SuggestResult = z.object({ suggestion: z.string(), item: Item.nullable() });

export type Item = z.infer<typeof Item>;
export type NewItem = z.infer<typeof AddInput>;
export type ItemChanges = Omit<z.infer<typeof UpdateInput>, 'id'>;
export type Status = z.infer<typeof ListInput>['status'];
