import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { TextField } from "./Field";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

it("lets a form be sent again after the server refused a field", () => {
  const form = document.createElement("form");
  document.body.append(form);
  act(() => createRoot(form).render(<TextField label="Name" value="web" error="is taken" />));
  expect(form.textContent).toContain("is taken");
  expect(form.querySelector("input")?.getAttribute("aria-invalid")).toBe("true");
  expect(form.checkValidity()).toBe(true);
});
