import type { EventRecord } from './event-store.ts'

interface TableWarning {
  tableId: string
  message: string
  params: Record<string, unknown>
  at: Date
}

/** An event that the service itself makes about a table: nobody asked for what it is about. */
export const tableWarning = (
  event: string,
  { tableId, message, params, at }: TableWarning,
): Omit<EventRecord, 'id' | 'branchId'> => ({
  event,
  component: 'storage',
  message,
  description: '',
  type: 'warn',
  runId: null,
  configurationId: null,
  created: at.toISOString(),
  params: JSON.stringify(params),
  results: '{}',
  performance: '{}',
  context: '{}',
  duration: null,
  objectType: 'table',
  objectId: tableId,
  objectName: tableId.slice(tableId.lastIndexOf('.') + 1),
  attachments: [],
  token: { id: 'system', name: 'Millrace' },
})
