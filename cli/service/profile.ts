import { type ProfileBody, profileBody } from '../../functions/lib/wire/profile-body.ts'
import type { Output } from '../output/output.ts'
import type { Api } from './api.ts'
import { segment } from './options.ts'

export const profileOf = (api: Api, tableId: string): Promise<ProfileBody> =>
  api.get(`tables/${segment(tableId)}/profile`, profileBody)

const SHOWN_VALUES = 3

export const showProfile = ({ rowsCount, profiledRowsCount, columns }: ProfileBody, out: Output): void => {
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
