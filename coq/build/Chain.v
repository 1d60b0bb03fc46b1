(** From a model to what is made of it: every node that there ever was, as data, and steps that say which
    of their values are the same.

    Symbols are numbers: an operator with its attributes, a constant, the k-th result of a call. What they
    mean is whatever function of the operands' values one likes.

    [values_of]      the value of each node of a graph
    [region_holds]   what a step claims: two small graphs have the same value, whatever they are given
    [rising]         a boolean: operands are older than what reads them
    [grounded]       a boolean: each node is one that there was, up to values that are the same; what it reads
                     is a node of the graph, or is given
    [steps_ok]       a boolean: the graphs of each step are nodes that there were, and nodes that are said to be
                     the same call are
    [chain_ok]       a boolean: the steps lead from the outputs of the first graph to those of the last *)

From Coq Require Import PArith List Bool FMapPositive.
Import ListNotations.

Record node : Type := N { no_id : positive; no_symbol : positive; no_operands : list positive }.

Definition graph : Type := list node.

(** ** Values *)

Section Values.
  Variable A : Type.
  Variable meaning : positive -> list A -> A.
  Variable given : positive -> A.

  Definition value_in (vals : PositiveMap.t A) (v : positive) : A :=
    match PositiveMap.find v vals with
    | Some a => a
    | None => given v
    end.

  Definition node_value (vals : PositiveMap.t A) (n : node) : A :=
    meaning (no_symbol n) (map (value_in vals) (no_operands n)).

  Fixpoint evaluated (g : graph) (vals : PositiveMap.t A) : PositiveMap.t A :=
    match g with
    | [] => vals
    | n :: more => evaluated more (PositiveMap.add (no_id n) (node_value vals n) vals)
    end.

  Definition values_of (g : graph) (v : positive) : A :=
    value_in (evaluated g (PositiveMap.empty A)) v.
End Values.

(** ** Steps *)

Inductive step : Type :=
  (* [from] as the first graph has it and [to] as the second has it are equal: what a rule or a pass did *)
  | Region (before after : graph) (from to : positive)
  (* the same call of the same operands: nothing is claimed *)
  | Same (from to : positive).

Definition region_holds {A} (meaning : positive -> list A -> A) (s : step) : Prop :=
  match s with
  | Region before after from to =>
      forall given, values_of A meaning given before from = values_of A meaning given after to
  | Same _ _ => True
  end.

Record chain : Type := {
  ch_nodes : graph;                 (* all that there ever were, operands as they were at first *)
  ch_first : graph;
  ch_first_outputs : list positive;
  ch_steps : list step;
  ch_last : graph;
  ch_last_outputs : list positive
}.

(** ** Booleans *)

Definition calls : Type := PositiveMap.t (positive * list positive).

Fixpoint calls_of (g : graph) (known : calls) : calls :=
  match g with
  | [] => known
  | n :: more => calls_of more (PositiveMap.add (no_id n) (no_symbol n, no_operands n) known)
  end.

Fixpoint rising (last : positive) (g : graph) : bool :=
  match g with
  | [] => true
  | n :: more =>
      Pos.ltb last (no_id n) && forallb (fun v => Pos.ltb v (no_id n)) (no_operands n) && rising (no_id n) more
  end.

(** What a value was found to be the same as. *)
Definition sames : Type := PositiveMap.t positive.

(** More hops than this are not followed; what is then compared is an older name of the same value. *)
Definition most_hops : nat := 1000.

Fixpoint newest_within (hops : nat) (same : sames) (v : positive) : positive :=
  match hops with
  | O => v
  | S fewer =>
      match PositiveMap.find v same with
      | Some next => newest_within fewer same next
      | None => v
      end
  end.

Definition newest : sames -> positive -> positive := newest_within most_hops.

Fixpoint all_same (same : sames) (l m : list positive) : bool :=
  match l, m with
  | [], [] => true
  | v :: l', w :: m' => Pos.eqb (newest same v) (newest same w) && all_same same l' m'
  | _, _ => false
  end.

Definition was (known : calls) (same : sames) (n : node) : bool :=
  match PositiveMap.find (no_id n) known with
  | Some (symbol, operands) => Pos.eqb symbol (no_symbol n) && all_same same operands (no_operands n)
  | None => false
  end.

Definition same_call (known : calls) (same : sames) (v w : positive) : bool :=
  match PositiveMap.find v known, PositiveMap.find w known with
  | Some (s, l), Some (t, m) => Pos.eqb s t && all_same same l m
  | _, _ => false
  end.

Fixpoint steps_ok (known : calls) (same : sames) (steps : list step) : option sames :=
  match steps with
  | [] => Some same
  | s :: more =>
      let '(good, from, to) :=
        match s with
        | Region before after from to => (forallb (was known same) before && forallb (was known same) after, from, to)
        | Same from to => (same_call known same from to, from, to)
        end in
      if good then steps_ok known (PositiveMap.add from to same) more else None
  end.

(** [v] is a node that is in [done], or none that there ever was: then it is given. *)
Definition is_there (known : calls) (done : PositiveMap.t unit) (v : positive) : bool :=
  match PositiveMap.find v done, PositiveMap.find v known with
  | Some _, _ | None, None => true
  | None, Some _ => false
  end.

Fixpoint grounded (known : calls) (same : sames) (done : PositiveMap.t unit) (g : graph) (outputs : list positive) : bool :=
  match g with
  | [] => forallb (is_there known done) outputs
  | n :: more =>
      was known same n && forallb (is_there known done) (no_operands n) &&
      grounded known same (PositiveMap.add (no_id n) tt done) more outputs
  end.

Definition chain_ok (c : chain) : bool :=
  let known := calls_of (ch_nodes c) (PositiveMap.empty _) in
  rising 1 (ch_nodes c) &&
  grounded known (PositiveMap.empty _) (PositiveMap.empty _) (ch_first c) (ch_first_outputs c) &&
  match steps_ok known (PositiveMap.empty _) (ch_steps c) with
  | Some same =>
      grounded known same (PositiveMap.empty _) (ch_last c) (ch_last_outputs c) &&
      all_same same (ch_first_outputs c) (ch_last_outputs c)
  | None => false
  end.
