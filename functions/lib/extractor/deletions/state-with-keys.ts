import { isObject } from '../php/php-values.ts'
import { readState } from '../runner/state.ts'
import type { Json } from '../tables/json-value.ts'
import { type KeySets, readKeySet } from './key-set.ts'

/** The state with the keys themselves in place of what names them, so that it holds all that a replay needs. */
export const stateWithKeys = async (state: unknown, keySets: KeySets | undefined): Promise<unknown> => {
  const kept = Object.entries(readState(state).keySets)
  if (keySets === undefined || kept.length === 0 || !isObject(state)) return state
  const read: Record<string, Json> = {}
  // A set that is not there keeps its name: the replay does not find it either
  for (const [table, place] of kept) read[table] = (await readKeySet(keySets, place)) ?? place
  const own = state['millrace']
  return { ...state, millrace: { ...(isObject(own) ? own : {}), keySets: read } }
}
