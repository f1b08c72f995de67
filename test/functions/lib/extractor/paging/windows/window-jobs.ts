import type { Settings } from '../../run-extraction.ts'

export const now = (): number => Date.parse('2026-03-01T08:00:00Z') / 1000

export const windows = {
  cursor: 'updated_at',
  param: 'since',
  until: 'before',
  start: '2026-01-01',
  step: 'P7D',
}

export const job = (incremental: object = windows, more: object = {}): Settings => ({
  api: { pagination: { method: 'header-link' } },
  config: {
    jobs: [
      { id: 'issues', endpoint: 'issues', dataType: 'issues', primaryKey: ['id'], incremental, ...more },
    ],
  },
  options: { now },
})

/** Issues of each repository, each in its own windows. */
export const perRepo: Settings = {
  api: { pagination: { method: 'header-link' } },
  config: {
    jobs: [
      {
        endpoint: 'repos',
        children: [
          {
            id: 'issues',
            endpoint: 'repos/{repo}/issues',
            dataType: 'issues',
            placeholders: { repo: 'name' },
            primaryKey: ['id', 'parent_name'],
            incremental: windows,
          },
        ],
      },
    ],
  },
  options: { now },
}
