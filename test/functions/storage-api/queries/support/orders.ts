import { startTableRoutes } from '#support/table-routes.ts'

/** A storage service with the table of orders that queries are about. */
export const startOrders = async () => {
  const routes = await startTableRoutes()
  const orders = await routes.service.createTable(
    routes.bucketId,
    'orders',
    'id,city,total,when,secret\n1,Prague,10.5,2026-01-02,a\n2,Brno,9,2026-01-03,b\n3,Prague,100,2026-01-04,c\n',
  )
  return { ...routes, orders }
}
