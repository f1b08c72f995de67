import { z } from 'zod'
import type { Output } from '../output/output.ts'
import type { Api } from './api.ts'
import { segment } from './options.ts'

const profile = z.looseObject({
  rowsCount: z.number(),
  profiledRowsCount: z.number(),
  columns: z.array(
    z.looseObject({
      name: z.string(),
      distinctCount: z.number(),
      emptyCount: z.number(),
      min: z.string().nullable(),
      max: z.string().nullable(),
      topValues: z.array(z.object({ value: z.string(), count: z.number() })),
    }),
  ),
})

type Profile = z.infer<typeof profile>

export const profileOf = (api: Api, tableId: string): Promise<Profile> =>
  api.get(`tables/${segment(tableId)}/profile`, profile)

const SHOWN_VALUES = 3

export const showProfile = ({ rowsCount, profiledRowsCount, columns }: Profile, out: Output): void => {
  out.table(
    ['COLUMN', 'DISTINCT', 'EMPTY', 'LEAST', 'GREATEST', 'MOST FREQUENT'],
    columns.map(({ name, distinctCount, emptyCount, min, max, topValues }) => [
      name,
      distinctCount,
      emptyCount,
      min,
      max,
      topValues
        .slice(0, SHOWN_VALUES)
        .map(({ value, count }) => `${value === '' ? '(empty)' : value} ×${count}`)
        .join(', '),
    ]),
  )
  if (profiledRowsCount < rowsCount) out.say(`Of the first ${profiledRowsCount} of ${rowsCount} rows.`)
}
