import { isObject } from '../lib/json/json-value.ts'
import type { Run } from './run.ts'
import type { RunServices } from './services.ts'

type State = Record<string, unknown>

/**
 * Refresh tokens that took the place of configured ones lie in the state of the configuration, sealed, whatever row they
 * were given to: all rows log in with the same token. They are stored at once, since the server may have ended the one
 * before, and a run may still fail.
 */
export const createKeptTokens = (
  { componentId, configId }: Pick<Run, 'componentId' | 'configId'>,
  storage: Pick<RunServices['storage'], 'configuration' | 'saveState'>,
) => {
  const rootState = async (): Promise<State> => (await storage.configuration(componentId, configId)).state
  return {
    /** The state of a row with the configuration's tokens, which other rows and legs may have replaced since. */
    laidOver: async (state: State): Promise<State> => withTokens(state, tokensOf(await rootState())),
    /** @param given a state that holds the tokens to keep */
    keep: async (given: State): Promise<void> =>
      storage.saveState({ componentId, configId }, withTokens(await rootState(), tokensOf(given))),
    /** What the row may save: its own state, with the tokens as they are sealed when it is that of the configuration. */
    ofRow: async (state: State, rowId: string | null): Promise<State> =>
      withTokens(state, rowId === null ? tokensOf(await rootState()) : undefined),
  }
}

const tokensOf = ({ millrace }: State): unknown =>
  isObject(millrace) ? millrace['refreshTokens'] : undefined

const withTokens = (state: State, tokens: unknown): State => {
  const { millrace, ...others } = state
  const { refreshTokens: _, ...own } = isObject(millrace) ? millrace : {}
  const all = { ...own, ...(tokens === undefined ? {} : { refreshTokens: tokens }) }
  return { ...others, ...(Object.keys(all).length === 0 ? {} : { millrace: all }) }
}
