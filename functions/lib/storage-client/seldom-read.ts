import * as z from 'zod/mini'
import { componentBody } from '../wire/component-body.ts'
import { changeBody, configurationBody, rowBody } from '../wire/configuration-body.ts'
import { creatorToken } from '../wire/fields.ts'
import { reads } from '../wire/reads.ts'
import { tableBody } from '../wire/table-body.ts'

/** What we read of replies that few events of a function ask for: the client loads it with the first of them. */

export const tableSchema = reads(tableBody, { columns: true, primaryKey: true })

export const componentSchema = reads(componentBody, { data: true })

const row = reads(rowBody, { id: true, name: false, isDisabled: true, configuration: true, state: true })

/** Configuration with its rows in running order. */
export const configurationSchema = reads(configurationBody, {
  id: true,
  name: true,
  version: true,
  isDisabled: true,
  configuration: true,
  state: true,
  rows: z._default(z.array(row), []),
  currentVersion: z.optional(
    reads(changeBody, {
      created: true,
      creatorToken: z.optional(reads(creatorToken, { id: z.coerce.string() })),
    }),
  ),
  /** Of our own service only. */
  authors: z._default(z.array(reads(creatorToken, { id: z.coerce.string() })), []),
  adoptedSecrets: true,
})

export type Configuration = z.infer<typeof configurationSchema>
export type Component = z.infer<typeof componentSchema>
