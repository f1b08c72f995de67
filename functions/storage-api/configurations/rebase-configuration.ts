import { z } from '@hono/zod-openapi'
import { TransientError, UserError } from '../../lib/errors/errors.ts'
import type { Configuration, Version } from '../../lib/storage/configurations/configuration.ts'
import type { Resolved } from '../../lib/storage/configurations/rebase-configuration.ts'
import { defaultBranchId } from '../../lib/storage/db/branch-id.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { configurationBody, threeWayDiffBody } from '../../lib/wire/configuration-body.ts'
import { entityId } from '../find/entity-id.ts'
import {
  type ConfigurationRequest,
  configurationNotFound,
  findComponent,
  placeOf,
} from '../find/find-configuration.ts'
import { flag, integer, listOf, text } from '../http/fields.ts'
import { recordEvent } from '../http/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import type { Services } from '../services/services.ts'
import { changeBy } from './change-configuration.ts'
import { configurationEvent } from './configuration-events.ts'
import { configurationResource, versionResource, withVersionTag } from './configuration-resource.ts'
import { jsonObject } from './json-field.ts'
import { judgeChange, warnOfChange } from './judge-change.ts'
import { findVersion } from './read-configurations.ts'
import { sealedSettings } from './sealed-settings.ts'

/** What the branch began with, what it has now, and what the default branch has now. */
export const diffConfiguration = defineRoute({
  method: 'get',
  path: '/v2/storage/components/{componentId}/configs/{configId}/diff',
  summary: 'Difference of a configuration to the default branch',
  tag: 'configurations',
  replies: {
    200: 'The three sides; `null`: it never was on that side',
    400: '`storage.configuration.diffNotAvailableOnDefaultBranch`',
    404: 'Neither branch has such a configuration',
  },
  reply: threeWayDiffBody,
  handle: async (request, services) => {
    if (request.branchId === defaultBranchId)
      throw new UserError(
        'storage.configuration.diffNotAvailableOnDefaultBranch',
        'Configuration diff is only available in dev branches',
      )
    const { ours, theirs } = await bothSides(request, services)
    if (!ours && !theirs) throw configurationNotFound(request.params.configId)
    const first = ours && (await services.configurations.version(ours, 1))
    // Its first version is a copy, or the branch has made it.
    const base = first?.changed.listed === undefined ? undefined : first
    return ok({ base: sideOf(base), ours: sideOf(ours?.current), theirs: sideOf(theirs?.current) })
  },
})

const bothSides = async (request: ConfigurationRequest, services: Services) => {
  const place = placeOf(request, services)
  const [ours, theirs] = await Promise.all([
    services.configurations.get(place),
    services.configurations.get({ ...place, branchId: defaultBranchId }),
  ])
  return { ours, theirs }
}

/** What people change, as a rebase takes it back. */
const sideOf = (version: Version | undefined) => {
  if (!version) return null
  const { name, description, changeDescription, isDisabled, configuration, rows, isDeleted } =
    versionResource(version)
  const shown = rows.map(({ id, ...row }) => ({
    id,
    name: row.name,
    description: row.description,
    isDisabled: row.isDisabled,
    configuration: row.configuration,
  }))
  const diff = { name, description, changeDescription, isDisabled, configuration, rows: shown }
  return { version: version.version, isDeleted, diff }
}

const resolvedFields = {
  name: text({ min: 1, max: 1000 }).optional(),
  description: text({ max: 20_000 }).optional(),
  changeDescription: text({ max: 2000 }).optional(),
  isDisabled: flag().optional(),
  configuration: jsonObject().optional(),
  rows: listOf(
    z.object({
      id: entityId(),
      name: text({ max: 1000 }).default(''),
      description: text({ max: 20_000 }).default(''),
      isDisabled: flag().default(false),
      configuration: jsonObject().optional(),
    }),
  ).optional(),
}
/** Some clients send what was resolved in the form in which the difference has it. */
const body = z.object({
  version: integer({ min: 1 }),
  ...resolvedFields,
  diff: z.object(resolvedFields).optional(),
})

/**
 * Lets a branch's configuration begin with a version of the default branch, and then have what was resolved; or be deleted, when only
 * the version is given. So it no longer conflicts with that version.
 */
export const rebaseConfiguration = defineRoute({
  method: 'post',
  path: '/v2/storage/components/{componentId}/configs/{configId}/rebase',
  summary: 'Rebase a configuration of a branch',
  tag: 'configurations',
  body,
  validationCode: 'storage.components.validation',
  replies: {
    200: 'The configuration, with version 2',
    400: '`storage.configuration.rebaseNotAvailableOnDefaultBranch`, `storage.components.validation`',
    404: 'There is no such configuration in the branch, or no such version in the default branch',
  },
  reply: configurationBody,
  handle: async (request, services) => {
    const { body } = request
    if (request.branchId === defaultBranchId)
      throw new UserError(
        'storage.configuration.rebaseNotAvailableOnDefaultBranch',
        'Configuration rebase is only available in dev branches',
      )
    const { ours: before, theirs: original } = await bothSides(request, services)
    if (!before || !original) throw configurationNotFound(request.params.configId)
    const onto = await findVersion(services, original, String(body.version))
    const { changeDescription, ...given } = body.diff ?? body
    const resolved = await readResolved(given, request, services)
    const comment = changeDescription ?? `Rebased onto version ${onto.version} of the default branch`
    const changed = changeBy(request, services, comment)
    const internalId = `${request.branchId}-${services.nextId()}`
    // Few events rebase anything.
    const core = await import('../../lib/storage/configurations/rebase-configuration.ts')
    const made = core.rebaseConfiguration({ before, original, onto }, resolved, { internalId, changed })
    const verdict = await judgeChange(
      findComponent(services, request.params.componentId),
      before,
      made.rebased,
    )
    if (verdict.refusal) throw verdict.refusal
    await replace(before, made, request, services)
    await warnOfChange(request, services, verdict)
    return withVersionTag(ok(configurationResource(made.rebased)), made.rebased)
  },
})

type Given = Pick<z.output<typeof body>, 'name' | 'description' | 'isDisabled' | 'configuration' | 'rows'>

/** `undefined` when no content is given. Error: 400 `storage.components.validation` when a part of it is missing. */
const readResolved = async (
  { name, description = '', isDisabled = false, configuration = {}, rows }: Given,
  request: ConfigurationRequest,
  services: Services,
): Promise<Resolved | undefined> => {
  if (name === undefined && rows === undefined) return undefined
  if (name === undefined || rows === undefined)
    throw invalid(name === undefined ? 'name' : 'rows', 'This field is missing.')
  const ids = rows.map(({ id }) => id || String(services.nextId()))
  const twice = ids.find((id, index) => ids.indexOf(id) < index)
  if (twice !== undefined) throw invalid('rows', `The row ${twice} is there twice.`)
  const sealed = async <Settings extends object>(settings: Settings, content: unknown) => {
    const parts = await sealedSettings({ configuration: content }, request, services)
    return { ...settings, configuration: parts.configuration ?? '{}', authors: parts.authors ?? [] }
  }
  const sealedRows = []
  for (const [index, { configuration: content = {}, ...row }] of rows.entries())
    sealedRows.push(await sealed({ ...row, id: ids[index] ?? '' }, content))
  return { ...(await sealed({ name, description, isDisabled }, configuration)), rows: sealedRows }
}

const invalid = (field: string, reason: string) =>
  new UserError('storage.components.validation', `Invalid request:\n - ${field}: "${reason}"`)

/** Its metadata stay. First, so that whoever sees the new one sees them. */
const replace = async (
  before: Configuration,
  { base, rebased }: { base: Configuration; rebased: Configuration },
  request: ConfigurationRequest,
  services: Services,
): Promise<void> => {
  const { metadata, nextId, configurations } = services
  const subject = metadataSubject.configuration(rebased)
  await metadata.copy(metadataSubject.configuration(before), subject, nextId)
  if (
    !(await configurations.exchange(placeOf(request, services), rebased, { before, past: [base.current] }))
  ) {
    await metadata.clear(subject)
    throw new TransientError('storage.components.busy', 'The configuration is being changed by others.')
  }
  await metadata.clear(metadataSubject.configuration(before))
  await recordEvent(request, services, configurationEvent('componentConfigurationRebased', request, rebased))
}
