import {
  type Author,
  authorsOf,
  type Configuration,
  type Content,
} from '../../lib/storage/configurations/configuration.ts'
import {
  allRights,
  leastRights,
  mayDoAsMuch,
  mayUseComponent,
  noRights,
  type Rights,
  rightsOf,
} from '../../lib/storage/tokens/rights.ts'
import type { Caller, Services } from '../services/services.ts'

/**
 * Whether whoever stores a configuration unchanged answers for its texts from then on: one that may do as much as those who did so far,
 * when that changes who answers, or lets its runs do more.
 *
 * @param taken the same content, for which the caller answers
 */
export const isTakenOver = async (
  before: Configuration,
  taken: Configuration,
  { componentId, caller }: { componentId: string; caller: Caller },
  services: Services,
): Promise<boolean> => {
  const least = (authors: readonly Author[]) => leastOf(authors, componentId, caller, services)
  const had = await least(authorsOf(before))
  if (!mayDoAsMuch(await least([{ id: caller.tokenId, description: caller.description }]), had)) return false
  return isOfOthers(before, taken) || !mayDoAsMuch(had, await least(authorsOf(taken)))
}

/** Whether somebody else answered for a text until now. */
const isOfOthers = (before: Configuration, taken: Configuration): boolean => {
  const authorsOfTexts = ({ authors, rows }: Content) =>
    JSON.stringify([authors, rows.map(row => row.authors)])
  return authorsOfTexts(before.current.content) !== authorsOfTexts(taken.current.content)
}

const leastOf = async (
  authors: readonly Author[],
  componentId: string,
  caller: Caller,
  { tokens, now }: Services,
): Promise<Rights> => {
  const rightsOfAuthor = async ({ id }: Author): Promise<Rights> => {
    if (id === caller.tokenId) return caller
    const token = await tokens.get(Number(id))
    // The master token has no record, so to others a deleted one may be that.
    return token || caller.isMaster ? rightsOf(token, now()) : allRights
  }
  const rights = leastRights(await Promise.all(authors.map(rightsOfAuthor)))
  if (!mayUseComponent(rights, componentId)) return noRights
  const { canManageBuckets, bucketPermissions } = rights
  // Files and the trash are nothing that a run works with.
  return { ...noRights, canManageBuckets, bucketPermissions }
}
