(** Statements that a person can read, as `vouch compile` prints them into certificates.

    [runs text sizes before after]   the C text, called with these sizes in memory [before], may
                                     end in memory [after], whatever its threads do
    [runs_value]                     the output then holds the value of the kernel
    [computes]                       the tactic that turns this into the printed statement

    [before v a] is scalar number a of variable v; the inputs come in order, then the output.
    Scalars are of any type, with any operations; these are written as C names them, and
    [fold k < n from x as s gives e] is x, then e with k = 0 and s = x, and so on up to k = n - 1. *)

From Coq Require Import Arith ZArith NArith Lia List String Bool ZifyNat ZifyBool.
From Vouch Require Import lib.Size array.Syntax array.Semantics.
From Vouch Require Import imp.Flat imp.Threads imp.ThreadsProof lower.OffsetProof.
From Vouch Require Import certify.Kernel certify.Parse certify.Certificate.
From Vouch Require Export certify.Readable.
Import ListNotations.

Notation "x +. y" := (op2 _ Add x y) (at level 50, left associativity).
Notation "x -. y" := (op2 _ Sub x y) (at level 50, left associativity).
Notation "x *. y" := (op2 _ Mul x y) (at level 40, left associativity).
Notation "x /. y" := (op2 _ Div x y) (at level 40, left associativity).
Notation greater := (op2 _ Max).
Notation lesser := (op2 _ Min).
Notation powf := (op2 _ Pow).
Notation less := (op2 _ Less).
Notation less_equal := (op2 _ LessEq).
Notation equal := (op2 _ Equal).
Notation negf := (op1 _ Neg).
Notation fabsf := (op1 _ Abs).
Notation sqrtf := (op1 _ Sqrt).
Notation expf := (op1 _ Exp).
Notation logf := (op1 _ Log).
Notation tanhf := (op1 _ Tanh).
Notation erff := (op1 _ Erf).
Notation sinf := (op1 _ Sin).
Notation cosf := (op1 _ Cos).
Notation floorf := (op1 _ Floor).
Notation ceilf := (op1 _ Ceil).
Notation roundf := (op1 _ Round).
Notation tanf := (op1 _ Tan).
Notation asinf := (op1 _ Asin).
Notation acosf := (op1 _ Acos).
Notation atanf := (op1 _ Atan).
Notation sinhf := (op1 _ Sinh).
Notation coshf := (op1 _ Cosh).
Notation asinhf := (op1 _ Asinh).
Notation acoshf := (op1 _ Acosh).
Notation atanhf := (op1 _ Atanh).
Notation exp_lanes := (op1 _ ExpLanes).
Notation tanh_lanes := (op1 _ TanhLanes).
Notation erf_lanes := (op1 _ ErfLanes).
Notation convert s t := (op1 _ (Cast s t)).
Notation fmaf := (op3 _ Fma).
Notation choose := (op3 _ Sel).
(** The same of doubles and of integers: statements name them by their type, as the text does. *)
Notation sqrt_double := (op1 _ Sqrt).
Notation exp_double := (op1 _ Exp).
Notation log_double := (op1 _ Log).
Notation tanh_double := (op1 _ Tanh).
Notation erf_double := (op1 _ Erf).
Notation sin_double := (op1 _ Sin).
Notation cos_double := (op1 _ Cos).
Notation floor_double := (op1 _ Floor).
Notation ceil_double := (op1 _ Ceil).
Notation round_double := (op1 _ Round).
Notation tan_double := (op1 _ Tan).
Notation asin_double := (op1 _ Asin).
Notation acos_double := (op1 _ Acos).
Notation atan_double := (op1 _ Atan).
Notation sinh_double := (op1 _ Sinh).
Notation cosh_double := (op1 _ Cosh).
Notation asinh_double := (op1 _ Asinh).
Notation acosh_double := (op1 _ Acosh).
Notation atanh_double := (op1 _ Atanh).
Notation neg_double := (op1 _ Neg).
Notation fabs_double := (op1 _ Abs).
Notation pow_double := (op2 _ Pow).
Notation fma_double := (op3 _ Fma).
Notation greater_double := (op2 _ Max).
Notation lesser_double := (op2 _ Min).
Notation neg_int32 := (op1 _ Neg).
Notation abs_int32 := (op1 _ Abs).
Notation max_int32 := (op2 _ Max).
Notation min_int32 := (op2 _ Min).
Notation neg_int64 := (op1 _ Neg).
Notation abs_int64 := (op1 _ Abs).
Notation max_int64 := (op2 _ Max).
Notation min_int64 := (op2 _ Min).
Notation neg_uint64 := (op1 _ Neg).
Notation abs_uint64 := (op1 _ Abs).
Notation max_uint64 := (op2 _ Max).
Notation min_uint64 := (op2 _ Min).
(** [dyadic m e] is m * 2^e. *)
Notation dyadic m e := (cst _ (Dyadic m e)).
Notation whole m := (cst _ (Dyadic m 0)).
Notation infinity := (cst _ (Infinity false)).
Notation minus_infinity := (cst _ (Infinity true)).
(** An index as a value. *)
Notation ordinal i := (position _ i).
(** A natural number in binary. *)
Notation "'#' n" := (N.to_nat n%N) (at level 1, n at level 0, format "'#' n").
Notation "'fold' k < n 'from' x 'as' s 'gives' e" := (iterate n (fun k s => e) x)
  (at level 200, k name, n at level 69, x at level 69, s name, e at level 200).

Definition sizes_of (sizes : list nat) : nat -> nat := fun v => nth v sizes 0.

Definition runs (text : string) (sizes : list nat) {K : scalars} (before after : mem K) : Prop :=
  exists f junk ie t, parse text = Some f /\
    behaves (sizes_of sizes) K junk (file_body f) ie t /\
    forall v a, after v a = run K t before v a.

(** A certified text runs, from any memory. *)
Lemma runs_exists k text sizes K (before : mem K) : Certified k text ->
  exists after, runs text sizes before after.
Proof.
  intros [(_ & parsed & _) _].
  destruct (behaves_exists (sizes_of sizes) K (fun _ _ => cst K zero)
    (file_body (file_of k)) (fun _ => 0)) as [t RUNS].
  exists (run K t before). exists (file_of k). do 3 eexists.
  split; [exact parsed|]. split; [exact RUNS | reflexivity].
Qed.

Lemma runs_value k text sizes K (before after : mem K) p :
  Certified k text -> runs text sizes before after ->
  facts_hold (sizes_of sizes) (kernel_facts k) ->
  inb (ty_val (sizes_of sizes) (kernel_output k)) p ->
  after (List.length (kernel_inputs k)) (place_of (ty_val (sizes_of sizes) (kernel_output k)) p) =
  kernel_value (sizes_of sizes) K k before p.
Proof.
  intros [(_ & parsed & COMPUTES & _) _] (f & junk & ie & t & reads & RUNS & same) FACTS p_in.
  rewrite parsed in reads. injection reads as f_is. rewrite <- f_is in RUNS.
  rewrite same. exact (proj1 (COMPUTES _ FACTS K junk ie before t RUNS) p p_in).
Qed.

Lemma if_same {A : Type} (c d : bool) (x x1 y y1 : A) : c = d ->
  (c = true -> x = x1) -> (c = false -> y = y1) -> (if c then x else y) = (if d then x1 else y1).
Proof. intros eq yes no. rewrite <- eq. destruct c; auto. Qed.

Lemma div_mod_back a b : a / b * b + a mod b = a.
Proof. rewrite Nat.mul_comm. symmetry. apply Nat.div_mod_eq. Qed.

(** Differences and quotients on the left, as they are on the right. *)
Ltac same_atoms :=
  repeat match goal with
  | |- ?x = ?y =>
      match x with context [?a - ?b] =>
      match y with context [?c - ?d] =>
        assert_fails constr_eq (a - b) (c - d);
        replace (a - b) with (c - d) by (apply f_equal2; ring)
      end end
  | |- ?x = ?y =>
      match x with context [?a / ?b] =>
      match y with context [?c / ?d] =>
        assert_fails constr_eq (a / b) (c / d);
        replace (a / b) with (c / d) by (apply f_equal2; ring)
      end end
  | |- ?x = ?y =>
      match x with context [?a mod ?b] =>
      match y with context [?c mod ?d] =>
        assert_fails constr_eq (a mod b) (c mod d);
        replace (a mod b) with (c mod d) by (apply f_equal2; ring)
      end end
  end.

(** Equal natural numbers: addresses. *)
Ltac address :=
  first
    [ reflexivity
    | ring
    | rewrite ?div_mod_back; first [reflexivity | ring]
    | same_atoms; ring
    | lia
    | Z.div_mod_to_equations; nia ].

(** Index arithmetic, down to the operations that the statement has. *)
Ltac indices :=
  cbv beta iota zeta delta [lay_path ixe_val guard_val index_env size_val ty_val sizes_of
    nth place_of cells];
  repeat match goal with
  | |- context [N.to_nat ?c] =>
      lazymatch eval compute in (N.leb c 1000) with true => idtac end;
      let n := eval compute in (N.to_nat c) in change (N.to_nat c) with n
  end.

Ltac same_index := indices; address.

Ltac same_guard :=
  indices;
  repeat lazymatch goal with
  | |- andb _ _ = andb _ _ => apply f_equal2
  | |- orb _ _ = orb _ _ => apply f_equal2
  | |- negb _ = negb _ => apply f_equal
  | |- Nat.leb _ _ = Nat.leb _ _ => apply f_equal2; [address | address]
  | |- Nat.ltb _ _ = Nat.ltb _ _ => apply f_equal2; [address | address]
  | |- Nat.eqb _ _ = Nat.eqb _ _ => apply f_equal2; [address | address]
  end.

Lemma fold_same K n n1 (F : nat -> value K -> value K) (f : nat -> num K -> num K) v x p :
  n = n1 -> (forall j w, F j w p = f j (w p)) -> v p = x -> iterate n F v p = iterate n1 f x.
Proof. intros n_is step start. rewrite <- n_is. apply iterate_scalar; assumption. Qed.

Ltac same_branches :=
  apply if_same;
  [ same_guard
  | let yes := fresh "yes" in intros yes
  | let no := fresh "no" in intros no ].

(** Environments have names, so that terms stay small. *)
Ltac named vals :=
  lazymatch vals with
  | _ :: _ => let name := fresh "vals" in let _ := match goal with _ => pose (name := vals) end in name
  | _ => vals
  end.

Ltac lookup x vals :=
  lazymatch vals with
  | ?v :: ?rest => lazymatch x with 0 => v | S ?y => lookup y rest end
  | ?name => let unfolded := eval cbv delta [name] in name in lookup x unfolded
  end.

(** The value of a term at a path is the scalar on the right, which is of the same build: one
    constructor of the term at a time, each by the definition of [eval]. *)
Ltac same_scalar :=
  cbv beta;
  lazymatch goal with
  | |- eval ?sg ?K ?iv ?vals ?e ?p = ?rhs =>
      let e := eval hnf in e in
      lazymatch e with
      | EVar ?x =>
          let v := lookup x vals in
          let t := eval cbv beta in (v p) in
          change (t = rhs); same_scalar
      | ECst _ Ordinal =>
          lazymatch p with Ix ?i :: _ => change (position K i = rhs) end;
          lazymatch goal with |- _ = position _ ?j => apply (f_equal (position K) (y := j)) end; same_index
      | ECst _ _ => reflexivity
      | EOp (Op1 ?o) ?a =>
          lazymatch rhs with
          | op1 _ o ?x => refine (f_equal (op1 K o) (x := eval sg K iv vals a []) (y := x) _)
          end; same_scalar
      | EOp (Op2 ?o) ?a =>
          lazymatch rhs with
          | op2 _ o ?x ?y =>
              refine (f_equal2 (op2 K o) (x1 := eval sg K iv vals a [Lft]) (y1 := x)
                (x2 := eval sg K iv vals a [Rgt]) (y2 := y) _ _)
          end; [same_scalar | same_scalar]
      | EOp (Op3 ?o) ?a =>
          lazymatch rhs with
          | op3 _ o ?x ?y ?z =>
              refine (f_equal3 (op3 K o) (x1 := eval sg K iv vals a [Lft]) (y1 := x)
                (x2 := eval sg K iv vals a [Rgt; Lft]) (y2 := y)
                (x3 := eval sg K iv vals a [Rgt; Rgt]) (y3 := z) _ _ _)
          end; [same_scalar | same_scalar | same_scalar]
      | EPair ?a ?b =>
          lazymatch p with
          | Lft :: ?q => change (eval sg K iv vals a q = rhs)
          | Rgt :: ?q => change (eval sg K iv vals b q = rhs)
          end; same_scalar
      | ELay ?l ?a =>
          let q := eval cbv beta iota delta [lay_path] in (lay_path sg (index_env iv) l p) in
          change (eval sg K iv vals a q = rhs); same_scalar
      | EPad ?lo ?n _ ?c ?a =>
          lazymatch p with
          | Ix ?i :: ?q =>
              change ((if andb (Nat.leb (size_val sg lo) i)
                               (Nat.ltb i (size_val sg lo + size_val sg n))
                       then eval sg K iv vals a (Ix (i - size_val sg lo) :: q)
                       else cst K c) = rhs)
          end; same_branches; same_scalar
      | EIf ?g ?a ?b =>
          change ((if guard_val sg (index_env iv) g then eval sg K iv vals a p
                   else eval sg K iv vals b p) = rhs); same_branches; same_scalar
      | EMap _ _ _ _ ?f ?a =>
          lazymatch p with
          | Ix ?i :: ?q =>
              let outer := named vals in
              change (eval sg K (i :: iv)
                ((fun r => eval sg K iv outer a (Ix i :: r)) :: outer) f q = rhs)
          end; same_scalar
      | ERed _ ?n _ _ ?f ?start ?a =>
          lazymatch rhs with
          | iterate ?n1 ?f1 ?x =>
              let outer := named vals in
              refine (fold_same K (size_val sg n) n1
                (fun j w => eval sg K (j :: iv)
                  ((fun r => eval sg K iv outer a (Ix j :: r)) :: w :: outer) f)
                f1 (eval sg K iv vals start) x p _ _ _)
          end;
          [ same_index
          | let k := fresh "k" in let s := fresh "s" in intros k s; same_scalar
          | same_scalar ]
      | ELet ?a ?b =>
          let outer := named vals in
          change (eval sg K iv (eval sg K iv outer a :: outer) b p = rhs); same_scalar
      | EMem _ ?a => change (eval sg K iv vals a p = rhs); same_scalar
      | ECat ?n _ _ ?a ?b =>
          lazymatch p with
          | Ix ?i :: ?q =>
              change ((if Nat.ltb i (size_val sg n) then eval sg K iv vals a p
                       else eval sg K iv vals b (Ix (i - size_val sg n) :: q)) = rhs)
          end; same_branches; same_scalar
      end
  | |- ?m ?v _ = ?m ?v _ => apply (f_equal (m v)); same_index
  | |- _ => reflexivity
  end.

Ltac assumed_facts :=
  let a := fresh "a" in let b := fresh "b" in let listed := fresh "listed" in
  intros a b listed; simpl in listed;
  repeat (destruct listed as [listed|listed]; [injection listed as <- <-; indices; lia|]);
  destruct listed.

(** From [runs kernel_text sizes before after], what is in the output at p. *)
Ltac computes k certified p :=
  match goal with
  | RUNS : runs _ ?sizes ?before ?after |- _ = ?rhs =>
      let K := match type of before with mem ?K => K end in
      let FACTS := fresh "FACTS" in
      assert (FACTS : facts_hold (sizes_of sizes) (kernel_facts k))
        by (unfold k; cbv [kernel_facts]; assumed_facts);
      let p_in := fresh "p_in" in
      assert (p_in : inb (ty_val (sizes_of sizes) (kernel_output k)) p)
        by (unfold k; cbv [kernel_output inb]; indices; repeat split; assumption);
      refine (eq_trans _ (eq_trans (runs_value k _ sizes K before after p certified RUNS FACTS p_in) _));
      [ apply (f_equal (after _)); unfold k; cbv [kernel_output]; same_index
      | let G := eval cbv [kernel_inputs k] in (kernel_inputs k) in
        let e := eval cbv [kernel_term k] in (kernel_term k) in
        let vals := eval cbv beta iota delta [input_values map seq List.length] in
          (input_values (sizes_of sizes) K G before) in
        change (eval (sizes_of sizes) K [] vals e p = rhs); same_scalar ]
  end.
