import { boolean, date, identifier, nullable, relation, resource, text } from "relata";
import employee from "./employee.ts";

export default resource("customer", {
  path: "/api/customers/",
  display: "name",
  fields: {
    id: identifier(),
    name: text({ minimum: 1, maximum: 80, example: "Ola Nordmann" }),
    email: text({
      maximum: 120,
      pattern: "^[a-z0-9.]+@[a-z0-9]+\\.[a-z]{2,}$",
      example: "ola@example.org",
    }),
    birthday: nullable(date({ example: "1980-02-29" })),
    newsletter: boolean(),
    support: nullable(relation(employee, {
      read: "identifier",
      description: "Whom this customer calls",
    })),
  },
  filter: ["email", "birthday"],
  sort: ["birthday"],
});
