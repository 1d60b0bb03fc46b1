(** Certified gradients: a kernel is the adjoint of another's tangent.

    The forward kernel may have several outputs: its own, and locals that are outputs too.
    In the gradient's last statement tensors are numbered from the last local down, then the
    inputs. For each of them a witness says what it is:
    - [Copy f]: the forward kernel's tensor f, in the numbering of its last statement;
    - [Seed]: the cotangent of the forward kernel's output;
    - [SeedOf f]: the cotangent of its local f, which is an output;
    - [Adjoint f changes]: the adjoint of its local f, with a change of indices for each place
      where f is read, in the order of the statements.

    [is_gradient k g ce]   the check; what it means is [Gradient], AdjointProof.v proves it
    [Gradient]             for all sizes, scalars of a commutative ring, inputs, cotangents and
                           directions the sum of dY * tangent is the sum of dX * direction *)

From Coq Require Import Arith ZArith NArith List Bool Lia Ring_theory.
From Vouch Require Import lib.Size lib.SizeCheck array.Syntax array.Semantics index.Kernel.
From Vouch Require Import adjoint.Points adjoint.Rings adjoint.Slopes adjoint.Tangent.
From Vouch Require Import adjoint.Equal adjoint.Substitute adjoint.Change adjoint.Tensors adjoint.Decide.
Import ListNotations.

Inductive origin : Type :=
| Copy (f : nat)
| Seed
| SeedOf (f : nat)
| Adjoint (f : nat) (changes : list (option change)).

Record witness : Type := {
  wi_target : nat;  (* the input by which is differentiated *)
  wi_outputs : list nat;  (* the locals that are outputs *)
  wi_origins : list origin;
  wi_changes : list (option change)  (* of the places where the target is read *)
}.

(** ** Uses *)

(** A statement whose tangent is multiplied: its summands, and the tensor that is its adjoint. *)
Record slice : Type := { so_extents : list size; so_summands : list summand; so_adjoint : nat }.

(** The cotangent of the element that a statement defines, under [loops] loops. *)
Definition cotangent (adjoint : nat) (extents : list size) (loops : nat) : ibody :=
  BRead adjoint (combine (rev (variables loops (length extents))) extents).

Fixpoint summand_uses (active : nat -> bool) (adjoint : nat) (extents : list size)
    (l : list summand) : option (list use) :=
  match l with
  | [] => Some []
  | s :: more =>
      with_both
        (option_map (map (fun o => {| us_box := (extents ++ su_loops s) ++ oc_own o; us_occurrence := o |}))
          (occurrences active (length (extents ++ su_loops s)) (cotangent adjoint extents (length (su_loops s)))
            (su_cond s) (su_body s)))
        (summand_uses active adjoint extents more)
  end.

Fixpoint uses_of (active : nat -> bool) (l : list slice) : option (list use) :=
  match l with
  | [] => Some []
  | s :: more =>
      with_both (summand_uses active (so_adjoint s) (so_extents s) (so_summands s)) (uses_of active more)
  end.

Definition uses_at (tensor : nat) (l : list use) : list use :=
  filter (fun u => Nat.eqb (oc_tensor (us_occurrence u)) tensor) l.

Fixpoint contributions (facts : list fact) (shape : list size) (us : list use)
    (changes : list (option change)) (summands : list summand) : bool :=
  match us, changes with
  | [], [] => match summands with [] => true | _ => false end
  | u :: us1, None :: changes1 => vacuous facts u && contributions facts shape us1 changes1 summands
  | u :: us1, Some c :: changes1 =>
      match summands with
      | [] => false
      | s :: more => contribution facts shape u s c && contributions facts shape us1 changes1 more
      end
  | _, _ => false
  end.

(** ** The check *)

(** A local that varies: its number, its adjoint's, and the changes of indices of its uses. *)
Record node : Type := { nd_tensor : nat; nd_adjoint : nat; nd_changes : list (option change) }.

Section CHECK.
  Context (k g : ikernel) (ce : witness).

  Definition forward_locals : nat := length (ik_locals k).
  Definition gradient_locals : nat := length (ik_locals g).
  Definition gradient_tensors : nat := length (wi_origins ce).
  Definition target : nat := forward_locals + wi_target ce.

  (** All tensors together: the gradient's, then the forward kernel's. *)
  Definition forward (f : nat) : nat := gradient_tensors + f.
  Definition canonical (t : nat) : nat :=
    match nth_error (wi_origins ce) t with
    | Some (Copy f) => forward f
    | Some _ => t
    | None => forward (forward_locals + length (ik_inputs k) + t)  (* no tensor *)
    end.

  Definition forward_summands (p : nat) : list summand :=
    map (summand_rename (fun t => forward (S p + t))) (st_summands (local k p)).
  Definition forward_output : list summand :=
    map (summand_rename forward) (st_summands (ik_output k)).
  Definition gradient_summands (p : nat) : list summand :=
    map (summand_rename (fun t => canonical (S p + t))) (st_summands (local g p)).
  Definition gradient_output : list summand :=
    map (summand_rename canonical) (st_summands (ik_output g)).

  Fixpoint seed_in (t : nat) (l : list origin) : option nat :=
    match l with
    | [] => None
    | Seed :: _ => Some t
    | _ :: r => seed_in (S t) r
    end.
  Definition seed : option nat := seed_in 0 (wi_origins ce).

  Fixpoint seed_of_in (f t : nat) (l : list origin) : option nat :=
    match l with
    | [] => None
    | SeedOf h :: r => if Nat.eqb h f then Some t else seed_of_in f (S t) r
    | _ :: r => seed_of_in f (S t) r
    end.
  Definition seed_of (f : nat) : option nat := seed_of_in f 0 (wi_origins ce).

  Fixpoint adjoint_in (f t : nat) (l : list origin) : option node :=
    match l with
    | [] => None
    | Adjoint h changes :: r =>
        if Nat.eqb h f then Some {| nd_tensor := f; nd_adjoint := t; nd_changes := changes |}
        else adjoint_in f (S t) r
    | _ :: r => adjoint_in f (S t) r
    end.

  (** Where the gradient has an adjoint of a local, that; otherwise the cotangent of an output. *)
  Definition node_of (f : nat) : option node :=
    match adjoint_in f 0 (wi_origins ce) with
    | Some a => Some a
    | None =>
        option_map (fun s => {| nd_tensor := f; nd_adjoint := s; nd_changes := [] |}) (seed_of f)
    end.

  (** In the order of the statements. *)
  Definition nodes : list node :=
    flat_map (fun f => match node_of f with Some a => [a] | None => [] end) (rev (seq 0 forward_locals)).

  (** What depends on the target, in the order of the statements. *)
  Fixpoint moving_from (locals seen : list nat) : list nat :=
    match locals with
    | [] => seen
    | p :: more =>
        let moves s := varies (fun t => among t seen) (body_rename (fun t => S p + t) (su_body s)) in
        moving_from more (if existsb moves (st_summands (local k p)) then p :: seen else seen)
    end.
  Definition moving : list nat := moving_from (rev (seq 0 forward_locals)) [target].

  (** Locals that move, but only ask of conditions and the like: nobody needs their adjoint. *)
  Definition idle : list nat :=
    filter (fun f => among f moving && match node_of f with Some _ => false | None => true end)
      (seq 0 forward_locals).

  Definition varying : list nat := target :: map nd_tensor nodes ++ idle.
  Definition active (t : nat) : bool := existsb (fun f => Nat.eqb (forward f) t) varying.

  Definition sources : list slice :=
    map (fun a => {| so_extents := st_extents (local k (nd_tensor a));
                     so_summands := forward_summands (nd_tensor a);
                     so_adjoint := nd_adjoint a |}) nodes ++
    match seed with
    | Some s => [{| so_extents := st_extents (ik_output k); so_summands := forward_output; so_adjoint := s |}]
    | None => []
    end.

  Definition input_axes (l : list ty) (j : nat) : list size := axes (nth j l TNum).

  (** The shape of a tensor of the gradient, and that of a tensor of the forward kernel. *)
  Definition gradient_shape (t : nat) : list size :=
    if t <? gradient_locals then st_extents (local g t) else input_axes (ik_inputs g) (t - gradient_locals).
  Definition forward_shape (f : nat) : list size :=
    if f <? forward_locals then st_extents (local k f) else input_axes (ik_inputs k) (f - forward_locals).

  Definition origin_ok (t : nat) (o : origin) : bool :=
    match o with
    | Copy f =>
        same_sizes (gradient_shape t) (forward_shape f) &&
        if t <? gradient_locals
        then (f <? forward_locals) &&
             is_yes (list_eq_dec summand_eq_dec (gradient_summands t) (forward_summands f))
        else forward_locals <=? f
    | Seed => same_sizes (gradient_shape t) (st_extents (ik_output k)) && (gradient_locals <=? t)
    | SeedOf f =>
        same_sizes (gradient_shape t) (forward_shape f) && (gradient_locals <=? t) &&
        (f <? forward_locals) && among f (wi_outputs ce)
    | Adjoint f _ =>
        same_sizes (gradient_shape t) (forward_shape f) && (t <? gradient_locals) && (f <? forward_locals)
    end.

  Definition constant (l : list summand) : bool := forallb (fun s => negb (varies active (su_body s))) l.
  Definition constant_ok (p : nat) : bool := active (forward p) || constant (forward_summands p).

  (** What adds a cotangent to an adjoint. *)
  Definition seed_summand (s : nat) (extents : list size) : summand :=
    {| su_loops := []; su_cond := CTrue; su_body := cotangent s extents 0 |}.

  (** The adjoint's summands but for the cotangent, where the local is an output. *)
  Definition contributed (a : node) : option (list summand) :=
    if nd_adjoint a <? gradient_locals then
      if among (nd_tensor a) (wi_outputs ce) then
        match seed_of (nd_tensor a), gradient_summands (nd_adjoint a) with
        | Some s, first :: more =>
            if summand_eq_dec first (seed_summand s (st_extents (local k (nd_tensor a))))
            then Some more else None
        | _, _ => None
        end
      else Some (gradient_summands (nd_adjoint a))
    else Some [].

  Definition node_ok (us : list use) (a : node) : bool :=
    match contributed a with
    | Some l =>
        contributions (ik_facts k) (st_extents (local k (nd_tensor a)))
          (uses_at (forward (nd_tensor a)) us) (nd_changes a) l
    | None => false
    end.

  Definition idle_ok (us : list use) (f : nat) : bool :=
    match uses_at (forward f) us with [] => negb (among f (wi_outputs ce)) | _ => false end.

  Definition is_adjoint : bool :=
    Nat.eqb gradient_tensors (gradient_locals + length (ik_inputs g)) &&
    (wi_target ce <? length (ik_inputs k)) &&
    forallb (fun p => origin_ok (fst p) (snd p)) (combine (seq 0 gradient_tensors) (wi_origins ce)) &&
    forallb constant_ok (seq 0 forward_locals) &&
    no_repeats varying &&
    no_repeats (wi_outputs ce) && forallb (fun f => f <? forward_locals) (wi_outputs ce) &&
    match seed with Some _ => true | None => constant forward_output end &&
    match uses_of active sources with
    | None => false
    | Some us =>
        forallb (node_ok us) nodes && forallb (idle_ok us) idle &&
        contributions (ik_facts k) (st_extents (ik_output g)) (uses_at (forward target) us)
          (wi_changes ce) gradient_output
    end.

  (** The shape of the input by which is differentiated. *)
  Definition target_axes : list size := input_axes (ik_inputs k) (wi_target ce).

  Definition is_gradient : bool := same_sizes (st_extents (ik_output g)) target_axes && is_adjoint.

  (** ** What is claimed *)

  Section CLAIM.
    Context (K : scalars).

    Definition nothing : tensor K := fun _ => cst K zero.

    (** The gradient kernel's inputs, from those of the forward kernel and the cotangents of its
        output and of its locals that are outputs. *)
    Definition gradient_inputs (xs : list (tensor K)) (dY : tensor K) (dL : nat -> tensor K) :
        list (tensor K) :=
      map (fun o => match o with
                    | Copy f => read K xs (f - forward_locals)
                    | Seed => dY
                    | SeedOf f => dL f
                    | Adjoint _ _ => nothing
                    end) (skipn gradient_locals (wi_origins ce)).

    (** Only the target varies. *)
    Definition directions (v : tensor K) : list (tensor K) :=
      map (fun j => if Nat.eqb j (wi_target ce) then v else nothing) (seq 0 (length (ik_inputs k))).

    Definition extents_val (sg : nat -> nat) (s : statement) : list nat := sizes_val sg (st_extents s).

    (** The sum of a * b over all elements below the extents. *)
    Definition inner (extents : list nat) (a b : tensor K) : num K :=
      lsum K (points extents []) (fun i => op2 K Mul (a (rev i)) (b (rev i))).

    Definition local_tangent (sg : nat -> nat) (xs vs : list (tensor K)) (f : nat) : tensor K :=
      fun at_ => snd (read (dual K) (locals_val sg (dual K) (paired K xs vs) (ik_locals k)) f at_).

    (** The sum of cotangents * tangents over all elements of all outputs. *)
    Definition inner_outputs (sg : nat -> nat) (xs vs : list (tensor K)) (dY : tensor K)
        (dL : nat -> tensor K) : num K :=
      op2 K Add (inner (extents_val sg (ik_output k)) dY (tangent K sg xs vs k))
        (lsum K (wi_outputs ce) (fun f =>
          inner (extents_val sg (local k f)) (dL f) (local_tangent sg xs vs f))).
  End CLAIM.

  Definition Gradient : Prop :=
    forall sg, facts_hold sg (ik_facts k) ->
    forall (K : scalars), ring_like K ->
    forall (xs : list (tensor K)) (dY : tensor K) (dL : nat -> tensor K) (v : tensor K),
      length xs = length (ik_inputs k) ->
      inner_outputs K sg xs (directions K v) dY dL =
      inner K (sizes_val sg target_axes) (ikernel_val sg K (gradient_inputs K xs dY dL) g) v.
End CHECK.
