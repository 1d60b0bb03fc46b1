(** The C text of a plan: a function that makes the calls in order, [NAME_plan].

    [calls_lines]   its lines; [vouch verify] asks whether they are those in the folder: a text of many calls is too
                    long for one string of Coq's
    [calls_text]    the text *)

From Coq Require Import Arith NArith List Bool String.
From Vouch Require Import array.Syntax certify.Elements certify.Print.
From Vouch Require Import certify.Certificate build.Calls.
Import ListNotations.
Local Open Scope string_scope.

(** Names of the buffers, in order, and for each call a note of where it comes from. *)
Record plan_names : Type := {
  pn_library : string;
  pn_buffers : list string;
  pn_notes : list string
}.

Definition newline : string := String (Ascii.ascii_of_nat 10) "".

Fixpoint lines (l : list string) : string :=
  match l with
  | [] => ""
  | s :: more => s ++ newline ++ lines more
  end.

Fixpoint joined (l : list string) : string :=
  match l with
  | [] => ""
  | [s] => s
  | s :: more => s ++ ", " ++ joined more
  end.

Definition prototype (k : source) : string :=
  let type v := c_held (element_of (element_types (kernel_names k)) v) in
  let n := List.length (kernel_inputs k) in
  "void " ++ kernel_name k ++ "(" ++
  joined (map (fun v => "const " ++ type v ++ " *") (seq 0 n) ++ [type n ++ " *"]) ++ ");".

Definition parameter (b : buffer) (name : string) : string :=
  (if bu_written b then "" else "const ") ++ c_held (bu_element b) ++ " *" ++ name.

(** Names of types that are no words of C. *)
Definition includes (p : plan) : list string :=
  if forallb (fun b => element_eqb (bu_element b) F32) (pl_buffers p) then []
  else ["#include <stdbool.h>"; "#include <stdint.h>"; ""].

Definition signature (nm : plan_names) (p : plan) : string :=
  "void " ++ pn_library nm ++ "_plan(" ++
  joined (map (fun q => parameter (fst q) (snd q)) (combine (pl_buffers p) (pn_buffers nm))) ++ ")".

Definition place_text (nm : plan_names) (q : place) : string :=
  nth (fst q) (pn_buffers nm) "" ++ " + " ++ decimal (snd q) "".

Definition call_text (nm : plan_names) (ks : list source) (c : call) (note : string) : string :=
  "  " ++ match nth_error ks (ca_kernel c) with Some k => kernel_name k | None => "" end ++
  "(" ++ joined (map (place_text nm) (ca_places c ++ [ca_result c])) ++ "); /* " ++ note ++ " */".

Definition uses (b : nat) (c : call) : bool :=
  existsb (fun q => Nat.eqb (fst q) b) (ca_places c ++ [ca_result c]).

(** Parameters that no call uses. *)
Definition unused (nm : plan_names) (p : plan) : list string :=
  map (fun q => "  (void)(" ++ snd q ++ ");")
    (filter (fun q => negb (existsb (uses (fst q)) (pl_calls p)))
       (combine (seq 0 (List.length (pn_buffers nm))) (pn_buffers nm))).

Definition calls_lines (nm : plan_names) (ks : list source) (p : plan) : list string :=
  ["/* " ++ pn_library nm ++
    ": the calls of its kernels, in order. Each kernel has a certificate of its own. */"; ""] ++
  includes p ++ map prototype ks ++
  [signature nm p ++ ";"; ""; signature nm p ++ " {"] ++
  unused nm p ++
  map (fun q => call_text nm ks (fst q) (snd q)) (combine (pl_calls p) (pn_notes nm)) ++
  ["}"].

Definition calls_text (nm : plan_names) (ks : list source) (p : plan) : string := lines (calls_lines nm ks p).

Lemma calls_text_lines nm ks p l : calls_lines nm ks p = l -> calls_text nm ks p = lines l.
Proof. intros same. unfold calls_text. rewrite same. reflexivity. Qed.
