import { defaultBranchId } from '../db/branch-id.ts'
import type { EventRecord } from '../events/event-store.ts'
import {
  allRights,
  leastRights,
  mayDoAsMuch,
  mayUseComponent,
  noRights,
  type Rights,
  rightsOf,
} from '../tokens/rights.ts'
import type { TokenStore } from '../tokens/token-store.ts'
import type { createTriggerStore } from '../triggers/trigger-store.ts'
import {
  type Author,
  authorsOf,
  type Configuration,
  type ConfigurationPlace,
  type Content,
} from './configuration.ts'
import { hasSchedule } from './schedule-notes.ts'

/** Who makes a change, and what that token may do. */
interface Editor {
  author: Author
  rights: Rights
  isMaster: boolean
}

interface ArmingServices {
  tokens: Pick<TokenStore, 'get'>
  triggers: Pick<ReturnType<typeof createTriggerStore>, 'list'>
  now: () => Date
}

/**
 * A run that nobody asks for has the least of the rights of all tokens that stored what runs. A change after which those are
 * less disarms the schedule and the triggers of the configuration instead of letting them fail: its author may not have
 * meant to reduce the rights.
 *
 * They are armed again when tokens that may do as much have stored the parts, or when schedule and triggers are removed
 * and set again. With the latter a lesser token takes them over on purpose.
 *
 * @param take the same content, for which the editor answers now: it counts when nothing was changed, by one who may do as much
 */
export const armSchedule = async (
  before: Configuration,
  next: Configuration,
  {
    place,
    editor,
    take,
  }: { place: ConfigurationPlace; editor: Editor; take?: () => Configuration | undefined },
  services: ArmingServices,
): Promise<Configuration> => {
  const least = (authors: readonly Author[]) => leastOf(authors, place.componentId, editor, services)
  if (next.current === before.current) {
    const taken = take?.()
    if (!taken) return next
    const had = await least(authorsOf(before))
    const grows = async () => !mayDoAsMuch(had, await least(authorsOf(taken)))
    const isTaken =
      mayDoAsMuch(await least([editor.author]), had) && (isOfOthers(before, taken) || (await grows()))
    return isTaken ? armSchedule(before, taken, { place, editor }, services) : next
  }
  const { disarmed, ...armed } = next
  const authors = before.disarmed?.authors ?? authorsOf(before)
  if (mayDoAsMuch(await least(authorsOf(next)), await least(authors))) return armed
  const { author: by } = editor
  const startsByItself = async (configuration: Configuration) =>
    hasSchedule(configuration) || (await isTriggered(place, services))
  if (!(await startsByItself(next))) return armed
  if (disarmed) return { ...armed, disarmed: { ...disarmed, by } }
  if (!(await startsByItself(before))) return armed
  return { ...armed, disarmed: { by, armedBy: before.current.changed.token, authors } }
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
  editor: Editor,
  { tokens, now }: ArmingServices,
): Promise<Rights> => {
  const rightsOfAuthor = async ({ id }: Author): Promise<Rights> => {
    if (id === editor.author.id) return editor.rights
    const token = await tokens.get(Number(id))
    // The master token has no record, so to others a deleted one may be that.
    return token || editor.isMaster ? rightsOf(token, now()) : allRights
  }
  const rights = leastRights(await Promise.all(authors.map(rightsOfAuthor)))
  if (!mayUseComponent(rights, componentId)) return noRights
  const { canManageBuckets, bucketPermissions } = rights
  // Files and the trash are nothing that a run works with.
  return { ...noRights, canManageBuckets, bucketPermissions }
}

const isTriggered = async (
  { branchId, componentId, configId }: ConfigurationPlace,
  { triggers }: ArmingServices,
): Promise<boolean> =>
  branchId === defaultBranchId &&
  (await triggers.list()).some(
    ({ component, configurationId }) => component === componentId && configurationId === configId,
  )

/** The event that says so, when a change has disarmed a configuration. */
export const disarmingEvent = (
  before: Configuration | undefined,
  { id: configurationId, disarmed }: Configuration,
  component: string,
): (Pick<EventRecord, 'component' | 'message' | 'type'> & Partial<EventRecord>) | undefined => {
  if (!disarmed || before?.disarmed) return undefined
  const { by, armedBy } = disarmed
  return {
    type: 'warn',
    event: 'storage.scheduleDisarmed',
    component,
    configurationId,
    message:
      `Schedule and triggers were disarmed: the token "${by.description}" stored the configuration, and its runs could do ` +
      `less than what the token "${armedBy.description}" had stored before. They start runs again when a token that may ` +
      `do as much has stored what "${by.description}" did. To run it with the rights of "${by.description}", remove ` +
      'schedule and triggers and set them again.',
    params: JSON.stringify({ by, armedBy }),
  }
}
